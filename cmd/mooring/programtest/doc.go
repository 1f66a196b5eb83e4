// Package programtest builds the program and runs it as users do, for tests and tools that look at it from outside: over HTTP, by its
// commands, by its log. A package whose tests use it calls Remove at the end of its TestMain.
package programtest
