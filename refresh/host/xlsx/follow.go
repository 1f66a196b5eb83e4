package xlsx

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"

	"mooring/placements"
	"mooring/refresh/host/formula"
	"mooring/refresh/host/xlsx/shift"
)

// follow rewrites every part, other than sheets and the workbook's own, that refers to cells that move: the parts that sheets refer to,
// what those refer to in turn, and the workbook's. It puts those that change into the new file. What cannot be moved is a *shift.Torn.
func (w *writer) follow(m *shift.Moves) error {
	f := follower{writer: w, moves: m, seen: map[*zip.File]bool{}, ids: map[string]string{}, sheets: map[string]string{}}
	for _, s := range w.wb.sheets {
		f.ids[s.id] = s.name
		if s.part != "" {
			f.sheets[s.part] = s.name
		}
	}
	return f.walk(w.wb.relations, "")
}

// follower walks the parts of a package along their relationships.
type follower struct {
	*writer
	moves  *shift.Moves
	seen   map[*zip.File]bool
	held   int               // bytes of parts that changed
	ids    map[string]string // names of sheets by their ids
	sheets map[string]string // names of worksheets by their parts
}

// walk rewrites the parts that some relationships lead to, each once, for the sheet that they belong to.
func (f *follower) walk(relations []relation, sheet string) error {
	for _, r := range relations {
		part := f.part(r.target)
		if part == nil || f.seen[part] {
			continue
		}
		f.seen[part] = true
		if err := f.rewrite(r, sheet); err != nil {
			return err
		}
		on := sheet
		switch r.kind {
		case "worksheet":
			on = f.sheets[r.target]
		case "chartsheet", "dialogsheet", "drawing", "chart", "chartEx":
		default:
			continue
		}
		if err := f.rewriteLinks(r.target, on); err != nil {
			return err
		}
		further, err := f.archive.relations(r.target)
		if err != nil {
			return err
		}
		if err := f.walk(further, on); err != nil {
			return err
		}
	}
	return nil
}

// rewrite rewrites a part, if it may refer to cells. What shift does not know refers to none: styles and texts, images, queries and
// slicers, which know names and tables, what was calculated before, code, other workbooks.
func (f *follower) rewrite(r relation, sheet string) error {
	rewrite := f.moves.Part(r.kind)
	switch r.kind {
	case "calcChain":
		rewrite = f.calcChain
	case "volatileDependencies":
		rewrite = func(doc []byte, _ string) ([]byte, error) { return f.moves.Topics(doc, f.ids) }
	case "revisionHeaders":
		return newFault(placements.Conflict, f.document, nil, "is a shared workbook, whose history names the cells that are to move: "+
			"stop sharing it, or refresh without moving rows.")
	case "xlMacrosheet", "xlIntlMacrosheet":
		return newFault(placements.Conflict, f.document, nil, "has a sheet of Excel 4.0 macros, in which references to the cells that are to "+
			"move cannot be found: delete that sheet, or refresh without moving rows.")
	}
	if rewrite == nil {
		return nil
	}
	return f.apply(r.target, sheet, rewrite)
}

// rewriteLinks rewrites the links to cells that a part's relationships are.
func (f *follower) rewriteLinks(part, sheet string) error {
	name := relationsOf(part)
	if f.part(name) == nil {
		return nil
	}
	return f.apply(name, sheet, f.moves.Links)
}

// apply rewrites a part.
func (f *follower) apply(name, sheet string, rewrite func(doc []byte, sheet string) ([]byte, error)) error {
	doc, err := f.current(name)
	if err != nil {
		return err
	}
	after, err := rewrite(doc, sheet)
	if err != nil {
		return f.faultOf(name, err)
	}
	if bytes.Equal(after, doc) {
		return nil
	}
	if f.held += len(after); f.held > maxFollowing {
		return newFault(placements.Conflict, f.document, nil, "has more charts, comments and tables than can follow the cells that are to move: "+
			"take some of them out, or refresh without moving rows.")
	}
	f.set(name, after)
	return nil
}

// faultOf returns the error of a part: one of a construct as it is, and otherwise the fault of a part that cannot be read.
func (f *follower) faultOf(part string, err error) error {
	var torn *shift.Torn
	var full *shift.Full
	var unmovable *formula.Unmovable
	if errors.As(err, &torn) || errors.As(err, &full) || errors.As(err, &unmovable) {
		return err
	}
	return f.broken(fmt.Errorf("%s: %w", part, err))
}

// maxFollowing bounds the parts that change with cells that move, in bytes: they are held until they are written.
const maxFollowing = 256 << 20

// maxChain bounds the calculation chain that is rewritten, in bytes.
const maxChain = 1 << 20

// calcChain returns the calculation chain as it is afterwards. One that would be empty goes, and so does one so large that to rewrite it
// takes much memory: programs make a new one.
func (f *follower) calcChain(doc []byte, _ string) ([]byte, error) {
	if len(doc) > maxChain {
		return doc, f.dropCalcChain()
	}
	after, left, err := f.moves.CalcChain(doc, f.ids)
	if err == nil && left == 0 {
		return doc, f.dropCalcChain()
	}
	return after, err
}

// moved returns the workbook with its defined names, our markers among them, as they are once cells have moved.
func (wb *workbook) moved(m *shift.Moves) (*workbook, error) {
	doc, err := m.Names(wb.doc)
	if err != nil {
		return nil, err
	}
	after := &workbook{part: wb.part, doc: doc, signed: wb.signed, relations: wb.relations}
	return after, after.parse()
}

// moveCells makes what refers to cells that move follow them, in all parts but the sheets that they stand on.
func (w *writer) moveCells() (err error) {
	if len(w.moves.By) == 0 {
		return nil
	}
	before := w.wb
	if w.wb, err = before.moved(&w.moves); err != nil {
		return err
	}
	w.set(w.wb.part, w.wb.doc)
	if err := w.follow(&w.moves); err != nil {
		return err
	}
	for _, s := range w.wb.sheets {
		f := w.part(s.part)
		if s.part == "" || f == nil {
			continue
		}
		if w.shifting(s.name) {
			w.moving[f] = s
			continue
		}
		followed, err := w.tryMove(f, s)
		if err != nil {
			return err
		}
		if followed.Changed {
			w.moving[f] = s
		}
		w.count(followed)
	}
	return nil
}
