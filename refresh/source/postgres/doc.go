// Package postgres is the source of PostgreSQL servers, and of what speaks their wire protocol.
package postgres
