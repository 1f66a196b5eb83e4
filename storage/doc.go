// Package storage keeps everything Mooring remembers, in Redis: reports, workbooks, placements, settings and runs. It knows
// Redis and nothing above it: who may do what is asked through callbacks, what a placement is comes from package placements.
//
// A write is decided in Go, on what this process remembers or has just read, and written by one transaction whose conditions are what it
// was decided on. One that was overtaken is decided again, at last under a lock. So a crash leaves all of a write or nothing.
package storage
