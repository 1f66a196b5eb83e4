// Package storage keeps everything Mooring remembers, in Redis: reports, workbooks, placements, settings and runs. It knows
// Redis and nothing above it: who may do what is asked through callbacks, what a placement is comes from package placements.
//
// A Store is what clients read and write. Its Work is what agents use: the queue, the reports and blocks of spreadsheets that runs refresh,
// who may write them, and what an attempt leaves there.
//
// Below it are packages that decode no report: queue has what is due, runs and the attempts at them, and events; tenants has settings, tokens
// and idempotent requests; changes has what runs changed in blocks; list goes through an index; keys names all that they keep. Scripts of 15
// lines and more are files of the folder lua of the package that runs them.
//
// A write is decided in Go, on what this process remembers or has just read, and written by one transaction whose conditions are what it
// was decided on. One that was overtaken is decided again, at last under a lock. So a crash leaves all of a write or nothing. The largest
// write is the apply of a plan: thousands of assets in one transaction.
package storage
