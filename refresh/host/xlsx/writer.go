package xlsx

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/formula"
	"mooring/refresh/host/xlsx/shift"
	"mooring/refresh/host/xlsx/xml"
)

// errXLSXAgain says that a write met something late in a sheet that decides how its rows are written, and noted it for the next write: the
// rows are out of order, or the sheet is protected.
var errXLSXAgain = errors.New("to be written again")

// set replaces or adds a part.
func (w *writer) set(name string, doc []byte) {
	if f := w.part(name); f != nil {
		w.new[f] = doc
		return
	}
	w.added[name] = doc
}

// current is a part as it will be.
func (w *writer) current(name string) ([]byte, error) {
	f := w.part(name)
	if doc, ok := w.new[f]; ok || f == nil {
		return doc, nil
	}
	return w.whole(w.ctx, f)
}

// classify makes a fault of an error of write, except of errXLSXAgain.
func (w *writer) classify(err error) error {
	if err == errXLSXAgain {
		return err
	}
	var file *fs.PathError
	if errors.As(err, &file) {
		var fault *placements.Fault
		if !errors.As(err, &fault) {
			return fileFault(w.document, err)
		}
	}
	return w.broken(refused(w.document, err))
}

// loadStyles reads the styles if a patch has formats or a sheet is protected. A workbook without any gets a plain set.
func (w *writer) loadStyles() error {
	if len(w.protected) == 0 && !slices.ContainsFunc(w.patches, func(p *sheetPatch) bool { return p.Formatted() }) {
		return nil
	}
	name := w.wb.related("styles")
	doc, err := w.read(name)
	if err != nil {
		return err
	}
	if doc == nil {
		doc = []byte(plainStyles)
		if err := w.addStyles(doc); err != nil {
			return err
		}
	}
	if w.styles, err = parseXLSXStyles(doc); err != nil {
		return w.broken(fmt.Errorf("%s: %w", name, err))
	}
	return nil
}

// addStyles adds a styles part to the workbook: the part, its relationship and its content type.
func (w *writer) addStyles(doc []byte) error {
	const (
		office   = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles"
		mimeType = "application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"
	)
	name := resolvePart(w.wb.part, "styles.xml")
	w.wb.relations = append(w.wb.relations, relation{id: "mooringStyles", kind: "styles", target: name})
	w.set(name, doc)
	if err := w.append(contentTypes, "Types", fmt.Sprintf(`Override PartName="/%s" ContentType="%s"`, name, mimeType)); err != nil {
		return err
	}
	return w.append(relationsOf(w.wb.part), "Relationships",
		fmt.Sprintf(`Relationship Id="mooringStyles" Type="%s" Target="/%s"`, office, name))
}

// append adds an empty element at the end of a part whose root is local.
func (w *writer) append(name, local, element string) error {
	doc, err := w.current(name)
	if err != nil {
		return err
	}
	s := xml.NewScanner(bytes.NewReader(doc))
	if err := s.Root(local, nil); err != nil {
		return w.broken(fmt.Errorf("%s: %w", name, err))
	}
	for err == nil && !(s.Kind == xml.End && s.Depth() == 0) {
		err = s.Next()
	}
	if err != nil {
		return w.broken(fmt.Errorf("%s: %w", name, err))
	}
	w.set(name, xml.Apply(doc, []xml.Edit{{From: s.From, To: s.From, With: []byte("<" + s.NS + element + "/>")}}))
	return nil
}

// writer makes the new file out of the old one and patches.
type writer struct {
	*archive
	ctx     context.Context
	wb      *workbook
	patches []*sheetPatch            // in the caller's order
	sheets  map[*zip.File]*partPatch // those with cells to change, by their parts
	styles  *styles                  // nil when no patch has formats
	marks   bool                     // a marker changes
	new     map[*zip.File][]byte     // whole parts that are replaced
	added   map[string][]byte        // whole parts, by name, that the file does not have
	dropped map[*zip.File]bool       // parts that the new file does not have
	moves   shift.Moves              // how cells move
	moving  map[*zip.File]sheet      // sheets that change because cells move
	follows host.Follow              // of the sheets on which none does
}

// refused makes a fault of what cannot be moved, and leaves other errors as they are.
func refused(document string, err error) error {
	conflict := func(format string, args ...any) error {
		return newFault(placements.Conflict, document, err, format, args...)
	}
	var torn *shift.Torn
	var full *shift.Full
	var locked *shift.Locked
	var large *shift.TooLarge
	var unmovable *formula.Unmovable
	switch {
	case errors.As(err, &torn):
		at := rangeName(torn.Area)
		if from, to, _ := strings.Cut(at, ":"); from == to {
			at = from
		}
		return conflict("has %s at %s on sheet %q in the way of rows that are to move: move or undo that, or refresh without moving rows.",
			torn.What, at, torn.Sheet)
	case errors.As(err, &full):
		return conflict("has too few rows on sheet %q: what stands in %s would be pushed off it. Clear the end of the sheet, or refresh "+
			"without moving rows.", full.Sheet, full.At)
	case errors.As(err, &locked):
		return conflict("has a protected sheet %q, on which no rows may be inserted or deleted: remove its protection, or refresh without "+
			"moving rows.", locked.Sheet)
	case errors.As(err, &large):
		return conflict("has too many %s on sheet %q for them to be moved: take some of them out, or refresh without moving rows.",
			large.What, large.Sheet)
	case errors.As(err, &unmovable):
		return conflict("has a formula with the reference %s to sheets of which only some are to move (%v): change the formula, or refresh "+
			"without moving rows.", unmovable.Reference, err)
	}
	return err
}
