// Package backup is the form of a backup: a file that holds tenants as keys and what is in them, in terms of no version of Redis.
//
// A file is a line of JSON, the Header; then, compressed, the records of each tenant in turn; then the SHA-256 of all that, as a line. A
// tenant's records are pieces of keys, as many as it takes: a large key never is in memory as a whole. They are a log. A piece that begins
// a key replaces all that came before of it, and a key that was dropped is gone: so a key that changes while a tenant is copied is simply
// written again. A Tail with the tenant's counts and the SHA-256 of its records ends it.
//
// Check reads all of a file before anything is done with it: one that was cut, changed, made by something else or by a later version is
// refused.
package backup
