// Package sqlite is the source of SQLite files. Each query runs in a child process, which a program offers by calling RunAsChild first
// in main.
package sqlite
