package rt

// GeneratedVersion1 is named by generated code: code from a generator that is older or newer than this package does
// not compile, and the missing name says why. Run `encorert gen` again.
const GeneratedVersion1 = true
