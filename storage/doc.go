// Package storage keeps everything Mooring remembers, in Redis: reports, workbooks, placements, settings and runs. It knows
// Redis and nothing above it: who may do what is asked through callbacks, what a placement is comes from package placements.
//
// A Store is what clients read and write. Its Queue is what agents work on: what is due, runs and the attempts at them, the blocks of
// spreadsheets and who may write them, and events to deliver. Scripts of 15 lines and more are files of the folder lua.
//
// A write takes its locks and loads in one script, decides in Go, and commits and unlocks in a second script that changes
// nothing when a lock was lost. So a crash between two steps leaves what was there before.
package storage
