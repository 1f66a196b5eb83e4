// Package source is where results come from: one contract, one implementation a kind of database.
package source
