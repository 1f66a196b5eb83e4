// Package mysql is the source of MariaDB and MySQL servers. Each query has a session of its own, in a read-only transaction with a statement
// timeout: what it leaves behind, such as user variables and locks, ends with it. A query whose caller has gone is ended at the server.
package mysql
