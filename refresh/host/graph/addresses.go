package graph

import (
	"context"
	"errors"
	"slices"
	"time"

	"mooring/refresh/host"
)

// maxSearched bounds the names of which it is remembered how far a search has come.
const maxSearched = 1_000

// places are the sites and drives of the host.
func (g *Workbooks) places() []string { return slices.Concat(g.sites, g.drives) }

// librariesAt returns the libraries of a site, or the drive of that id, with their addresses.
func (f *finding) librariesAt(ctx context.Context, place int) ([]library, error) {
	key := f.places()[place]
	known, ok := f.addresses.answer(key, f.rest.Now())
	if ok {
		return known.list, known.err
	}
	if place < len(f.sites) {
		if err := f.budget.Take(2); err != nil {
			return nil, err
		}
		known.list, known.err = f.librariesOf(ctx, key)
	} else {
		l := library{ID: key, alone: true}
		err := f.get(ctx, l.path()+"?$select=id,name,webUrl", &l)
		if errors.Is(err, host.ErrSpent) {
			return nil, err
		}
		known.list, known.err = []library{l}, f.driveFault(ctx, l, err)
	}
	if ctx.Err() == nil {
		f.addresses.remember(key, known, f.rest.Now())
	}
	return known.list, known.err
}

func (p *addresses) answer(key string, now time.Time) (answered, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	known, ok := p.asked[key]
	age := librariesAge
	if known.err != nil {
		age = incompleteAge
	}
	if !ok || now.Sub(known.at) >= age {
		return answered{}, false
	}
	return known, true
}

func (p *addresses) remember(key string, known answered, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asked == nil {
		p.asked = map[string]answered{}
	}
	known.at = now
	p.asked[key] = known
}

// libraryAt returns the library of the longest address that a begins with, and the path below it: host.ErrOutside if it begins with none.
func (f *finding) libraryAt(ctx context.Context, a host.FileAddress) (found library, below string, err error) {
	var failed error
	for place, key := range f.places() {
		if _, ok := a.Below(host.ParseAddress(key)); !ok && place < len(f.sites) {
			continue
		}
		list, err := f.librariesAt(ctx, place)
		if err != nil {
			if failed = err; errors.Is(err, host.ErrSpent) {
				break
			}
			continue
		}
		for _, l := range list {
			path, ok := a.Below(host.ParseAddress(l.WebURL))
			if ok && path != "" && len(l.WebURL) > len(found.WebURL) {
				found, below = l, path
			}
		}
		if found.ID != "" && place < len(f.sites) {
			break // a drive of its own that has it is the same
		}
	}
	switch {
	case found.ID != "":
		return found, below, nil
	case failed != nil:
		return found, "", failed
	}
	return found, "", host.ErrOutside
}

// isHost reports whether a host is that of a site of the configuration, or of a drive as far as that is known.
func (f *finding) isHost(name string) bool {
	return name != "" && slices.ContainsFunc(f.places(), func(key string) bool {
		known, _ := f.addresses.answer(key, f.rest.Now())
		return host.ParseAddress(key).Host == name ||
			slices.ContainsFunc(known.list, func(l library) bool { return host.ParseAddress(l.WebURL).Host == name })
	})
}

// searchedTo is the place that a search for a name is to begin with.
func (p *addresses) searchedTo(name string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.searched[name]
}

func (p *addresses) searchOn(name string, place int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.searched == nil || len(p.searched) >= maxSearched {
		p.searched = map[string]int{}
	}
	p.searched[name] = place
}
