// Package soak holds a test that keeps the built program at work for hours: a server, an agent and a Redis with 100,000 schedules, of which
// several are due each second and refresh blocks in a folder of .xlsx files from SQLite. Each minute it looks at the memory and goroutines of the
// processes, and at the end it compares the runs with the ticks that were due. scripts/soak runs it for hours, the test suite for two minutes.
package soak
