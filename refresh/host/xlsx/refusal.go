package xlsx

import (
	"errors"
	"io/fs"
	"strings"

	"mooring/placements"
	"mooring/refresh/host/formula"
	"mooring/refresh/host/xlsx/archive"
	"mooring/refresh/host/xlsx/cursor"
	"mooring/refresh/host/xlsx/sheet"
	"mooring/refresh/host/xlsx/shift"
)

// classify makes a fault of an error of a write, except of sheet.ErrAgain.
func classify(a *archive.Archive, err error) error {
	if err == sheet.ErrAgain {
		return err
	}
	var file *fs.PathError
	if errors.As(err, &file) {
		var fault *placements.Fault
		if !errors.As(err, &fault) {
			return archive.FileFault(a.Document, err)
		}
	}
	return a.Broken(refused(a.Document, err))
}

// refused makes a fault of what cannot be moved, and leaves other errors as they are.
func refused(document string, err error) error {
	conflict := func(format string, args ...any) error {
		return archive.NewFault(placements.Conflict, document, err, format, args...)
	}
	var torn *shift.Torn
	var full *shift.Full
	var locked *shift.Locked
	var large *shift.TooLarge
	var unmovable *formula.Unmovable
	switch {
	case errors.As(err, &torn):
		at := cursor.AreaName(torn.Area)
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
