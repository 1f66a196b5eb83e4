package xlsx

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"

	"mooring/refresh/host/formula"
	"mooring/refresh/host/xlsx/archive"
	"mooring/refresh/host/xlsx/part"
	"mooring/refresh/host/xlsx/shift"
)

// follow rewrites every part, other than sheets and the workbook's own, that refers to cells that move: the parts that sheets refer to,
// what those refer to in turn, and the workbook's. It puts those that change into the new file. What cannot be moved is a *shift.Torn.
func follow(d *archive.Draft, wb *part.Workbook, m *shift.Moves) error {
	f := follower{draft: d, wb: wb, moves: m, seen: map[*zip.File]bool{}, ids: map[string]string{}, sheets: map[string]string{}}
	for _, s := range wb.Sheets {
		f.ids[s.ID] = s.Name
		if s.Part != "" {
			f.sheets[s.Part] = s.Name
		}
	}
	return f.walk(wb.Relations, "")
}

// follower walks the parts of a package along their relationships.
type follower struct {
	draft  *archive.Draft
	wb     *part.Workbook
	moves  *shift.Moves
	seen   map[*zip.File]bool
	held   int               // bytes of parts that changed
	ids    map[string]string // names of sheets by their ids
	sheets map[string]string // names of worksheets by their parts
}

// walk rewrites the parts that some relationships lead to, each once, for the sheet that they belong to.
func (f *follower) walk(relations []archive.Relation, sheet string) error {
	for _, r := range relations {
		part := f.draft.Archive.Part(r.Target)
		if part == nil || f.seen[part] {
			continue
		}
		f.seen[part] = true
		if err := f.rewrite(r, sheet); err != nil {
			return err
		}
		on := sheet
		switch r.Kind {
		case "worksheet":
			on = f.sheets[r.Target]
		case "chartsheet", "dialogsheet", "drawing", "chart", "chartEx":
		default:
			continue
		}
		if err := f.rewriteLinks(r.Target, on); err != nil {
			return err
		}
		further, err := f.draft.Archive.Relations(r.Target)
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
func (f *follower) rewrite(r archive.Relation, sheet string) error {
	rewrite := f.moves.Part(r.Kind)
	switch r.Kind {
	case "calcChain":
		rewrite = f.calcChain
	case "volatileDependencies":
		rewrite = func(doc []byte, _ string) ([]byte, error) { return f.moves.Topics(doc, f.ids) }
	case "revisionHeaders":
		return f.draft.Archive.Conflict("is a shared workbook, whose history names the cells that are to move: " +
			"stop sharing it, or refresh without moving rows.")
	case "xlMacrosheet", "xlIntlMacrosheet":
		return f.draft.Archive.Conflict("has a sheet of Excel 4.0 macros, in which references to the cells that are to " +
			"move cannot be found: delete that sheet, or refresh without moving rows.")
	}
	if rewrite == nil {
		return nil
	}
	return f.apply(r.Target, sheet, rewrite)
}

// rewriteLinks rewrites the links to cells that a part's relationships are.
func (f *follower) rewriteLinks(part, sheet string) error {
	name := archive.RelationsOf(part)
	if f.draft.Archive.Part(name) == nil {
		return nil
	}
	return f.apply(name, sheet, f.moves.Links)
}

// apply rewrites a part.
func (f *follower) apply(name, sheet string, rewrite func(doc []byte, sheet string) ([]byte, error)) error {
	doc, err := f.draft.Current(name)
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
		return f.draft.Archive.Conflict("has more charts, comments and tables than can follow the cells that are to move: " +
			"take some of them out, or refresh without moving rows.")
	}
	f.draft.Set(name, after)
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
	return f.draft.Archive.Broken(fmt.Errorf("%s: %w", part, err))
}

// maxFollowing bounds the parts that change with cells that move, in bytes: they are held until they are written.
const maxFollowing = 256 << 20

// maxChain bounds the calculation chain that is rewritten, in bytes.
const maxChain = 1 << 20

// calcChain returns the calculation chain as it is afterwards. One that would be empty goes, and so does one so large that to rewrite it
// takes much memory: programs make a new one.
func (f *follower) calcChain(doc []byte, _ string) ([]byte, error) {
	if len(doc) > maxChain {
		return doc, f.wb.DropCalcChain(f.draft)
	}
	after, left, err := f.moves.CalcChain(doc, f.ids)
	if err == nil && left == 0 {
		return doc, f.wb.DropCalcChain(f.draft)
	}
	return after, err
}
