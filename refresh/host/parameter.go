package host

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"mooring/checksum"
	"mooring/placements"
)

// ParameterReader is a Session that reads the cells which parameters of queries take their values from.
type ParameterReader interface {
	// ReadParameters is Read, and reads cells of parameters, in the same requests or the same look at a file. It returns one Found a
	// Wanted and one FoundParameter a ParameterCells, in their orders. Without blocks it is for a caller that does not have the document
	// for itself, writes nothing, and is one request where all names stand, wherever people have moved their cells; Graph takes one for
	// each eighteen.
	ReadParameters(ctx context.Context, blocks []Wanted, parameters []ParameterCells) ([]Found, []FoundParameter, error)
}

// ParameterCells are the cells that a parameter takes its value from: a single one or, of a list, those of one column or one row.
type ParameterCells struct {
	ID   string              // ParameterID; empty while the document has no name for them that counts
	At   placements.Location // where they were last read
	List bool
}

// FoundParameter is where the cells of a parameter stand now and what they hold, or why that cannot be told.
type FoundParameter struct {
	At       placements.Location
	Marked   bool        // found by their name, else where they were last read: some hosts list no name whose cells were deleted
	Date1904 bool        // numbers that stand for dates count from 1904
	Cells    []TypedCell // from the first on, blank ones too
	Calls    int         // requests made (a file opened counts one), in the first of a ReadParameters without blocks
	Err      error       // a *placements.Fault of class Conflict, with one of the causes below, or of class Structure, of a damaged sheet
}

// TypedCell is what one of them holds, and what says of which type that is.
type TypedCell struct {
	Value   checksum.Cell // of a formula what it shows; text that is empty is that of a formula, or typed so, and not a blank cell
	Date    bool          // it is formatted as a date or a time
	Unknown bool          // it holds a formula, and the document does not have what that shows
	Covered bool          // by merged cells of which it is not the first; false where the host cannot see that
}

// Why cells of a parameter are not read.
var (
	ErrParameterDeleted = errors.New("the cells of the parameter were deleted")
	ErrParameterSheet   = errors.New("the sheet of the parameter's cells is not there")
	ErrParameterShape   = errors.New("the name is not of a single cell, column or row of the document")
	ErrParameterLarge   = errors.New("more cells than a parameter may have")
)

// MaxParameterCells is how many cells a list may have, blank ones too.
const MaxParameterCells = 10_000

// Fault is the fault of cells that are not read for one of the causes above.
func (p ParameterCells) Fault(cause error) *placements.Fault {
	say := "%s, from which a parameter takes its value, was deleted: name another cell for it."
	switch cause {
	case ErrParameterSheet:
		say = "%s, from which a parameter takes its value, is on a sheet that is not there: restore the sheet, or name another cell for it."
	case ErrParameterShape:
		say = "The name that follows %s, from which a parameter takes its value, is not of a single cell any more: name a cell for it."
		if p.List {
			say = "The name that follows %s, from which a parameter takes its values, is not of a single column or row any more: name one for it."
		}
	case ErrParameterLarge:
		say = "%s, from which a parameter takes its values, has more cells than " + strconv.Itoa(MaxParameterCells) + ": name fewer for it."
	}
	return placements.ValueConflict(fmt.Sprintf(say, p.At), cause)
}

// CheckSize returns why so many cells are not those of the parameter, nil if they may be.
func (p ParameterCells) CheckSize(e checksum.Extent) error {
	switch {
	case e.Rows < 1 || e.Columns < 1, !p.List && (e.Rows > 1 || e.Columns > 1), e.Rows > 1 && e.Columns > 1:
		return ErrParameterShape
	case max(e.Rows, e.Columns) > MaxParameterCells:
		return ErrParameterLarge
	}
	return nil
}

// Extent is the size of the cells where they were last read.
func (p ParameterCells) Extent() checksum.Extent {
	return checksum.Extent{Rows: p.At.Rows, Columns: p.At.Columns}
}

// IsForeignSheet reports whether the sheet of what a name refers to, which the document does not have, is none that was deleted: it is of another
// document, or there are several areas.
func IsForeignSheet(reference, sheet string) bool {
	quoted := strings.HasPrefix(reference, "'")
	return strings.Contains(sheet, "[") || !quoted && strings.ContainsAny(sheet, "!,( ")
}

// NewLocation is a rectangle as a FoundParameter tells it.
func NewLocation(sheet string, a placements.Anchor, e checksum.Extent) placements.Location {
	return placements.Location{Sheet: sheet, Anchor: a, Rows: e.Rows, Columns: e.Columns, Range: e.Rows*e.Columns > 1}
}

// checkNamed refuses cells that no name can be given to. That is a mistake of the program.
func (p ParameterCells) checkNamed() error {
	if !strings.HasPrefix(p.ID, parameterPrefix) || p.At.Sheet == "" || p.CheckSize(p.Extent()) != nil {
		return fmt.Errorf("a name %q for the cells %s of a parameter", p.ID, p.At)
	}
	return nil
}

const parameterPrefix = "p_"

// ParameterID is, in the place of a placement's id, the name of the cells of its parameter of that number. In the document that is
// _mooring_p_<placement>_<number>, which a placement of such an id would share.
func ParameterID(placementID string, number int) string {
	return parameterPrefix + placementID + "_" + strconv.Itoa(number)
}

var parameterForm = regexp.MustCompile(`(?i)^` + markerPrefix + parameterPrefix + `(.+)_[0-9]+$`)

// ParameterOf returns the name that marks the block whose parameter a name follows the cells of, if that is what it does: where there is no
// such block, the name is a block's own.
func ParameterOf(name string) (marker string, ok bool) {
	of := parameterForm.FindStringSubmatch(name)
	if of == nil {
		return "", false
	}
	return markerPrefix + of[1], true
}
