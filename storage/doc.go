// Package storage keeps everything Mooring remembers, in Redis: reports, workbooks, placements, settings and runs. It knows
// Redis and nothing above it: who may do what is asked through callbacks, what a placement is comes from package placements.
//
// A Store is what clients read and write; its Reports, Workbooks, Placements and Schedules are here. The rooms beside them are packages: code
// plans and applies assets as code, keep has the layout, backups and imports, work is what agents use. They stand on layout, which knows how
// records lie in Redis, and that on engine, which runs transactions and takes locks.
//
// Below are packages that decode no report: queue has what is due, runs and the attempts at them, and events; tenants has settings, tokens
// and idempotent requests; changes has what runs changed in blocks; list goes through an index; keys names all that they keep. Scripts of 15
// lines and more are files of the folder lua of the package that runs them.
package storage
