package sheet

import (
	"context"
	"fmt"
	"io"
	"iter"

	"mooring/placements"
	"mooring/refresh/host/xlsx/archive"
	"mooring/refresh/host/xlsx/cursor"
	"mooring/refresh/host/xlsx/part"
	"mooring/refresh/host/xlsx/xml"
)

// PlacedFormula is a formula of a sheet, with its =.
type PlacedFormula struct {
	Text string
	At   placements.Anchor
}

// Formulas returns the formulas of a sheet as the file has them, until an error. Its cells need not be in order.
func (s *Sheets) Formulas(ctx context.Context, of part.Sheet) iter.Seq2[PlacedFormula, error] {
	return func(yield func(PlacedFormula, error) bool) {
		f := s.archive.Part(of.Part)
		if f == nil {
			yield(PlacedFormula{}, s.archive.Broken(fmt.Errorf("part %s is missing", of.Part)))
			return
		}
		in, err := s.archive.Unpack(ctx, f, archive.MaxSheet)
		if err != nil {
			yield(PlacedFormula{}, err)
			return
		}
		defer in.Close()
		r := &reader{Scanner: xml.NewScanner(in), Ordered: cursor.New()}
		if err := r.eachFormula(yield); err != nil {
			yield(PlacedFormula{}, s.archive.Broken(fmt.Errorf("%s: %w", of.Part, err)))
		}
	}
}

// eachFormula goes through the cells of a sheet until yield declines.
func (r *reader) eachFormula(yield func(PlacedFormula, error) bool) error {
	err := r.Root("worksheet", nil)
	for ; err == nil; err = r.Next() {
		switch {
		case r.Closes("sheetData"):
			return nil
		case r.Opens("row"):
			if err = r.Spot.ToRow(r.Scanner); err == nil && r.Kind == xml.Start {
				cursor.SkipRow(r.Scanner)
			}
		case r.Opens("c"):
			var text string
			if text, err = r.cellFormula(); text != "" && !yield(PlacedFormula{text, placements.Anchor{Row: r.Row, Column: r.Column}}, nil) {
				return nil
			}
		}
		if err != nil {
			return err
		}
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// cellFormula is the formula of the cell whose tag the scanner stands at, empty if it has none.
func (r *reader) cellFormula() (string, error) {
	if err := r.Spot.ToCell(r.Scanner); err != nil || r.Kind == xml.Empty {
		return "", err
	}
	formula, err := r.content()
	if err != nil || !formula {
		return "", err
	}
	at := placements.Anchor{Row: r.Row, Column: r.Column}
	r.texts.note(&r.formula, at)
	return r.texts.moved(&r.formula, at), nil
}
