//go:build !linux

package arena

func mappings() (used, limit int) { return 0, 0 }
