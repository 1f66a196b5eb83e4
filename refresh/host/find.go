package host

import (
	"context"
	"errors"
)

// Finder is a Driver that can look for a document by hints of an untrusted client, and prove which one it is. Nothing that a hint says has it
// send a request to another service, or look outside of what is configured.
type Finder interface {
	// Find returns documents that a hint may mean, the likeliest first, without those whose ids are tried, as many as the budget allows.
	// The error says why it did not look everywhere, and comes along with what was found nevertheless: ErrOutside, ErrSpent, ErrMany, or a
	// *placements.Fault. No document but what Prove says is to be believed.
	Find(ctx context.Context, hint Hint, tried map[string]bool, budget *Budget) ([]Candidate, error)
	// Prove opens a document, changes nothing, and returns what it says of itself. The error is ErrSpent when the budget does not
	// suffice; else it is one of Open and of Read.
	Prove(ctx context.Context, document string, budget *Budget) (Identity, error)
}

// Hint is what a client says of where a document is.
type Hint struct {
	URL  string // the address or the path under which its program has it open; empty where it says none
	Name string // the file's name
}

// Candidate is a document that may be the one that is looked for.
type Candidate struct {
	ID     string // as Open takes it
	Name   string // of the file
	WebURL string // where people open it; empty where the host has no addresses
	Path   string // below its site, where ids say nothing of that
	At     bool   // it is what stands at the hint's address, and was not found by the name alone
}

// Budget is what looking for a document may still cost. It is not safe for concurrent use. Nil has no bounds.
type Budget struct {
	Candidates int // that Find may return
	Requests   int // to the host's service; an index of a folder counts one, and so does a file opened
}

// Take takes requests out of the budget, or none and returns ErrSpent.
func (b *Budget) Take(requests int) error {
	switch {
	case b == nil:
		return nil
	case b.Requests < requests:
		return ErrSpent
	}
	b.Requests -= requests
	return nil
}

// Choose returns the first candidates, each once, that were not tried, and takes them out of the budget: ErrSpent when it has no room for all.
func (b *Budget) Choose(found []Candidate, tried map[string]bool) (chosen []Candidate, err error) {
	known := map[string]bool{}
	for _, c := range found {
		if tried[c.ID] || known[c.ID] {
			continue
		}
		if b != nil && b.Candidates == 0 {
			return chosen, ErrSpent
		}
		if b != nil {
			b.Candidates--
		}
		known[c.ID], chosen = true, append(chosen, c)
	}
	return chosen, nil
}

// Why a Finder did not look everywhere.
var (
	// ErrOutside is returned when an address lies outside of what is configured.
	ErrOutside = errors.New("the address is outside of what is configured")
	// ErrSpent is returned when the budget did not suffice: there is more to look at.
	ErrSpent = errors.New("more requests or candidates than one look may have")
	// ErrMany is returned when a folder has more files than are looked at.
	ErrMany = errors.New("the folder has more files than are looked at")
)
