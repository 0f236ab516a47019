package places

//encore:actor
type inTest struct{}
