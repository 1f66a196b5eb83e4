// Package fault says what becomes of an error: which class it has, whether and when it is tried again, how an outage of the storage is
// logged, how long work may take, and how a call that never returns is left behind.
package fault
