// Command fill does what storagetest.Fill does, for tests that the race detector makes slow:
//
//	fill redis://ADDRESS <amounts.json >made.json
package main
