package document

import (
	"context"
	"log/slog"

	"mooring/refresh/host"
	"mooring/refresh/host/formula"
	"mooring/refresh/result"
	"mooring/refresh/site"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/work"
)

// Editor writes to documents. It is safe for concurrent use.
type Editor struct {
	Queue   *work.Work
	Records *storage.Store
	Sites   *site.Locator
	Results *result.Results
	Log     *slog.Logger

	identities identities
}

// Lease is the right to write to a document: Context ends when another one may have it.
type Lease struct {
	Context  context.Context
	Document work.DocumentLease
}

// write is one write to a document: opened once, and written once where all that is read fits in memory.
type write struct {
	by     *Editor
	ref    site.Ref
	all    []*target                   // that are to be written
	found  []*draft                    // that were read
	others []record.DocumentPlacement  // of the document, besides: see meet
	made   formula.Shifts              // by the writes, in their order
	sheet  interface{ plan(b *draft) } // that an add-in sent; nil: a host's
	// identity is what the document is to say of itself from the next write on; zero for what it says.
	identity host.Identity
}
