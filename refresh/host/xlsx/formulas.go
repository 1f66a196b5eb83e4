package xlsx

import (
	"context"
	"fmt"
	"io"
	"iter"

	"mooring/placements"
	"mooring/refresh/host/xlsx/cursor"
	"mooring/refresh/host/xlsx/xml"
)

// placedFormula is a formula of a sheet, with its =.
type placedFormula struct {
	text string
	at   placements.Anchor
}

// formulas returns the formulas of a sheet as the file has them, until an error. Its cells need not be in order.
func (p *archive) formulas(ctx context.Context, in sheet) iter.Seq2[placedFormula, error] {
	return func(yield func(placedFormula, error) bool) {
		f := p.part(in.part)
		if f == nil {
			yield(placedFormula{}, p.broken(fmt.Errorf("part %s is missing", in.part)))
			return
		}
		part, err := p.unpack(ctx, f, maxSheet)
		if err != nil {
			yield(placedFormula{}, err)
			return
		}
		defer part.Close()
		r := &reader{Scanner: xml.NewScanner(part), Ordered: cursor.New()}
		if err := r.eachFormula(yield); err != nil {
			yield(placedFormula{}, p.broken(fmt.Errorf("%s: %w", in.part, err)))
		}
	}
}

// eachFormula goes through the cells of a sheet until yield declines.
func (r *reader) eachFormula(yield func(placedFormula, error) bool) error {
	err := r.Root("worksheet", nil)
	for ; err == nil; err = r.Next() {
		switch {
		case r.Closes("sheetData"):
			return nil
		case r.Opens("row"):
			if err = r.Place.ToRow(r.Scanner); err == nil && r.Kind == xml.Start {
				cursor.SkipRow(r.Scanner)
			}
		case r.Opens("c"):
			var text string
			if text, err = r.cellFormula(); text != "" && !yield(placedFormula{text, placements.Anchor{Row: r.Row, Column: r.Column}}, nil) {
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
	if err := r.Place.ToCell(r.Scanner); err != nil || r.Kind == xml.Empty {
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
