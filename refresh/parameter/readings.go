package parameter

import (
	"mooring/placements"
)

// Readings are what the cells said from which placements of a report take values, by placement. The zero value is of none. Each placement is
// queried with what it says itself, what its cells said, and what the parameters of the report say without.
type Readings struct {
	of map[string]*last
}

// last is what the cells of a placement said last.
type last struct {
	*Reading                              // nil: they were not read yet
	settings placements.ParameterSettings // the placement's, then
	second   bool                         // the cells said something else before, for which the source was queried
}

// Of is what the cells of a placement said; nil where those that it names now were not read.
func (r *Readings) Of(p *placements.Placement) *Reading {
	if l := r.last(p); l != nil {
		return l.Reading
	}
	return nil
}

func (r *Readings) last(p *placements.Placement) *last {
	if l := r.of[p.ID]; l != nil && l.settings.Equal(p.Parameters) {
		return l
	}
	return nil
}

// Keep notes what the cells of a placement say.
func (r *Readings) Keep(p *placements.Placement, said *Reading) {
	l := r.last(p)
	r.put(p, said, l != nil && l.second)
}

// Replace is Keep for cells that say something else than what the source was queried for, when the placement was before. It reports whether they
// do so for the first time. Of a placement that names other cells now, those are left to be read.
func (r *Readings) Replace(before, now *placements.Placement, said *Reading) (first bool) {
	l := r.last(before)
	first = l == nil || !l.second
	if !before.Parameters.Equal(now.Parameters) {
		said = nil
	}
	r.put(now, said, first)
	return first
}

func (r *Readings) put(p *placements.Placement, said *Reading, second bool) {
	if r.of == nil {
		r.of = map[string]*last{}
	}
	r.of[p.ID] = &last{Reading: said, settings: p.Parameters, second: second}
}

// Arguments are the values of these parameters with which a placement is queried. The error is a *placements.Fault: it says none, or what its
// report does not admit, or its cells do not say any.
func (r *Readings) Arguments(p *placements.Placement, of []placements.Parameter) (placements.Arguments, error) {
	if len(Feeds(p, of)) == 0 {
		return p.Parameters.Arguments(of, nil)
	}
	said := r.Of(p)
	switch {
	case said == nil:
		return nil, errUnread
	case said.Err != nil:
		return nil, said.Err
	}
	return p.Parameters.Arguments(of, said.Values)
}

// errUnread: what the cells say is not known yet.
var errUnread = &placements.Fault{Class: placements.Transient, Message: "the cells from which the report takes values were not read"}

// Key is a text that two placements have in common exactly if they are queried with the same values, or both cannot be queried.
func (r *Readings) Key(p *placements.Placement, of []placements.Parameter) string {
	with, err := r.Arguments(p, of)
	if err != nil {
		return "none"
	}
	return with.Key()
}

// Used are the values with which a placement was queried, or would have been but for the one at fault, and the cells of those that were read;
// nil for none.
func (r *Readings) Used(p *placements.Placement, of []placements.Parameter) placements.ParameterSettings {
	if len(of)+len(p.Parameters) == 0 {
		return nil
	}
	values := placements.ParameterSettings{}
	if with, err := r.Arguments(p, of); err == nil {
		for name, v := range with.Values() {
			values[name] = placements.ParameterSetting{Value: &v}
		}
	} else {
		for name, said := range p.Parameters {
			if said.Value != nil {
				values[name] = said
			}
		}
	}
	if said := r.Of(p); said != nil {
		said.note(values)
	}
	return values
}
