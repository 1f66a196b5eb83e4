// Package postgres is the source of PostgreSQL servers, and of what speaks their wire protocol. A query runs in a read-only transaction
// with a statement timeout; row-level security sees on whose behalf it runs in settings of the
// transaction: mooring.tenant, mooring.uid, mooring.email and mooring.roles.
package postgres
