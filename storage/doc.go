// Package storage keeps everything Mooring remembers, in Redis: reports, workbooks, placements, settings and runs. It knows
// Redis and nothing above it: who may do what is asked through callbacks, what a placement is comes from package placements.
//
// A Store is what clients read and write. Its Queue is what agents work on: what is due, runs and the attempts at them, the blocks of
// spreadsheets and who may write them, and events to deliver. Scripts of 15 lines and more are files of the folder lua.
//
// A write is decided in Go, on what this process remembers or has just read, and written by one transaction whose conditions are what it
// was decided on. One that was overtaken is decided again, at last under a lock. So a crash leaves all of a write or nothing. The largest
// write is the apply of a plan: thousands of assets in one transaction.
package storage
