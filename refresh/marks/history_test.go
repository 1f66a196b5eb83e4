package marks

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"mooring/placements"
	"mooring/storage/record"
)

// step is one step of a history: a change, or a refresh.
type step struct {
	change int // of changes; -1: a refresh
	seed   uint64
}

func (s step) String() string {
	if s.change < 0 {
		return "refresh"
	}
	return changes()[s.change].name
}

// steps are those of a seed: a few changes before each refresh, and a refresh in the end.
func steps(seed uint64) (list []step) {
	r := rand.New(rand.NewPCG(seed, 0))
	for range 6 + r.IntN(8) {
		for range 1 + r.IntN(5) {
			list = append(list, step{r.IntN(len(changes())), r.Uint64()})
		}
		list = append(list, step{-1, 0})
	}
	return list
}

// history is a document and what happens to it.
type history struct {
	*model
	placed
	document
	standing *standing
	before   seen     // what stood before the last refresh
	log      []string // what happened
	trouble  []string // what is wrong; nothing happens afterwards
	why      string   // why the last refresh did not leave all as it should
	ended    bool     // the run has said which records have lost what was beside them
}

// placed refreshes a block from the records of a model, as an agent does or an add-in.
type placed interface {
	refresh(source []*item) (*record.Run, error)
}

// begin makes a document with a block and what people put around it.
func begin(m *mooring, seed uint64) *history {
	r := rand.New(rand.NewPCG(seed, 1))
	h := &history{model: &model{
		top: placements.Anchor{Row: 1 + r.IntN(4), Column: r.IntN(4)}, apart: map[int]string{}, keyed: r.IntN(2) == 0, file: m.file,
	}}
	for range 1 + r.IntN(12) {
		h.source = append(h.source, h.newItem())
	}
	h.document, h.placed = m.place(h.model)
	h.close()
	if run, err := h.refresh(h.source); err != nil || run.State != placements.RunSucceeded {
		h.trouble = []string{fmt.Sprintf("the block was not written: %+v, %v", run, err)}
		return h
	}
	h.furnish()
	h.refreshed()
	h.look()
	return h
}

// furnish puts a total below the block, headings beside it, and formulas beside its rows.
func (h *history) furnish() {
	total := h.top.Row + 1 + len(h.source)
	h.edit(func(e editor) {
		e.set(h.in(total, keyColumn), "Total")
		e.set(h.in(total, firstNumber), fmt.Sprintf("=SUM(%s:%s)", h.in(h.top.Row+1, firstNumber), h.in(total-1, firstNumber)))
		e.set(h.in(total, noteColumn), "end")
		e.set(h.in(total+2, keyColumn), "below")
		e.set(h.in(h.top.Row, twiceColumn), "twice")
		e.set(h.in(h.top.Row, noteColumn), "note")
	})
	for i, it := range h.source {
		it.fresh = false
		row := h.top.Row + 1 + i
		h.edit(func(e editor) { e.set(h.in(row, twiceColumn), "="+h.in(row, firstNumber).String()+"*2") })
	}
}

// see finds where the rows stand now, as far as they were written.
func (h *history) see() {
	h.standing = h.find(h.document.look())
}

// look checks the document.
func (h *history) look() {
	h.standing = h.check(h.document.look())
	h.trouble = append(h.trouble, h.standing.faults...)
}

// run takes one step.
func (h *history) take(s step) (refused bool) {
	if s.change >= 0 {
		changes()[s.change].do(h, rand.New(rand.NewPCG(s.seed, 2)))
		return false
	}
	h.before = h.document.look()
	h.document.close()
	run, err := h.placed.refresh(h.source)
	if err != nil {
		h.trouble = append(h.trouble, err.Error())
		return false
	}
	if run.State != placements.RunSucceeded {
		h.log = append(h.log, fmt.Sprintf("%s: %s", run.ErrorClass, run.Error))
		h.why = kindOf(run.Error)
		return h.refused(run)
	}
	mayStray := h.reordered || !h.keyed && len(h.typed) > 0
	kept := h.refreshed()
	h.look()
	h.checkKept(run, kept)
	if len(h.trouble) > 0 && (mayStray || h.renewed) && saysWhyNot(run) {
		h.trouble, h.ended = nil, true
		for _, p := range run.Placements {
			h.why = kindOf(p.Note)
		}
		return true
	}
	if len(h.trouble) == 0 {
		h.tidy()
	}
	return false
}

// saysWhyNot reports whether a run that succeeded says that records stand in cells that are not theirs: those that have changed places in a
// document whose host cannot move rows, as a person's row does where no rowKey tells that the updated row above it remains, and the one that
// takes the place of all others.
func saysWhyNot(run *record.Run) bool {
	return slices.ContainsFunc(run.Placements, func(p record.RunPlacement) bool {
		return strings.Contains(p.Note, "in cells that other records had") || strings.Contains(p.Note, "in new cells")
	})
}

// places are what differs between messages of a kind.
var places = regexp.MustCompile(`"[^"]*"|[A-Z]+[0-9]+|[0-9]+`)

func kindOf(message string) string { return places.ReplaceAllString(message, "…") }

// refused checks a run that wrote nothing: it says why, and the document is as it was.
func (h *history) refused(run *record.Run) bool {
	if run.ErrorClass != placements.Conflict || run.Error == "" {
		h.trouble = append(h.trouble, fmt.Sprintf("the run is %s, %s: %q", run.State, run.ErrorClass, run.Error))
	}
	now := h.document.look()
	if !maps.Equal(now.data, h.before.data) || !maps.Equal(now.other, h.before.other) || !maps.Equal(now.comments, h.before.comments) {
		h.trouble = append(h.trouble, "a run that failed changed the document")
	}
	return true
}

// checkKept checks that the run keeps what people had typed beside rows that left.
func (h *history) checkKept(run *record.Run, kept []string) {
	var all []string
	for _, p := range run.Placements {
		for _, row := range p.Overwritten {
			all = append(all, fmt.Sprint(row.Values))
		}
	}
	text := strings.Join(all, "\n")
	for _, one := range kept {
		if !strings.Contains(text, one) {
			h.trouble = append(h.trouble, fmt.Sprintf("%q was beside a row that left, and the run does not keep it: %s", one, text))
		}
	}
}

// tidy lets a person clear what refers to rows that are gone, and what was filled down from a formula that was meant for one row.
func (h *history) tidy() {
	stray := h.standing.stray
	h.clear(h.drop(func(r *ref) bool { return r.target == nil }))
	if len(stray) > 0 {
		h.edit(func(e editor) {
			for _, at := range stray {
				e.set(at, "")
			}
		})
	}
	for _, it := range h.source {
		it.fresh = false
	}
	if h.renewed {
		h.edit(h.refill)
		h.see()
	}
}

// refill lets a person fill the formulas down again once no row was left that has them, and clear what the empty row has.
func (h *history) refill(e editor) {
	for _, it := range h.source {
		e.set(h.at(h.standing, it, twiceColumn), "="+h.at(h.standing, it, firstNumber).String()+"*2")
	}
	for _, row := range h.standing.empty {
		e.comment(h.in(row, keyColumn), "")
		e.set(h.in(row, noteColumn), "")
	}
}

// show is a sheet as text.
func (s seen) show() string {
	var b strings.Builder
	for _, at := range slices.SortedFunc(maps.Keys(s.data), compareAnchors) {
		if s.data[at] != "" {
			fmt.Fprintf(&b, "%s %q  ", at, s.data[at])
		}
	}
	fmt.Fprintf(&b, "\nother %v\nnames %v\ncomments %v", s.other, s.names, s.comments)
	return b.String()
}
