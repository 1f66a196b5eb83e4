// Package files is the source of folders with CSV, Parquet and JSON lines: each file is a table. Queries run in SQLite, each in a child process
// that makes the tables which it names; a program offers it by calling RunAsChild first in main.
package files
