// Package unknown has nothing but a misspelt annotation.
package unknown

//encorert:actor
type a struct{}
