package output

func written() {}
