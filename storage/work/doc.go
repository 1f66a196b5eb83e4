// Package work is what agents use of the storage: which reports and blocks a run refreshes, who may write to a document, what a write is about
// to leave there, what an attempt has left, and where documents are.
package work
