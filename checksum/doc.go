// Package checksum is the arithmetic of results: cells, tables in their canonical encoding, their digests, and what
// differs between two of them. Everything here is pure: no I/O, no clock.
package checksum
