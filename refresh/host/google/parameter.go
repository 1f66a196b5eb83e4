package google

import (
	"context"
	"strings"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
)

// parameterFields are read in place of readFields where cells of parameters are read too.
const parameterFields = metadataFields + "namedRanges(namedRangeId,name,range),sheets(properties(sheetId,title,gridProperties(rowCount,columnCount)),merges," +
	"data(startRow,startColumn,rowMetadata(hiddenByUser,hiddenByFilter),columnMetadata(hiddenByUser)," +
	"rowData(values(userEnteredValue(formulaValue),effectiveValue,userEnteredFormat(numberFormat(type)),effectiveFormat(numberFormat(type))))))"

var _ host.ParameterReader = (*session)(nil)

// ReadParameters is host.ParameterReader's. Alone, cells that have names are asked for by these, so that one request finds them wherever they
// have gone; together with blocks, which may stand elsewhere too, where they were last read, a moment ago. A name that is not there has the
// service refuse all: then two requests more tell what is.
func (s *session) ReadParameters(ctx context.Context, wanted []host.Wanted, cells []host.ParameterCells) ([]host.Found, []host.FoundParameter, error) {
	parameters := make([]*soughtParameter, len(cells))
	for i, c := range cells {
		p := &soughtParameter{ParameterCells: c, byName: c.ID != "" && len(wanted) == 0}
		if p.settle(c.At.Sheet, c.At.Anchor, c.Extent()); p.found.Err == nil {
			p.pending = true
		}
		parameters[i] = p
	}
	s.parameters.Read()
	found, calls, err := s.readAll(ctx, wanted, parameters)
	if err != nil {
		return nil, nil, err
	}
	list := make([]host.FoundParameter, len(cells))
	for i, p := range parameters {
		list[i] = p.found
	}
	if len(list) > 0 && len(found) == 0 {
		list[0].Calls = calls
	}
	return found, list, nil
}

// soughtParameter are cells of a parameter, and where to look for them next.
type soughtParameter struct {
	host.ParameterCells
	pending bool
	byName  bool
	at      place
	found   host.FoundParameter
}

// settle says where the cells stand, as far as such cells can be a parameter's.
func (p *soughtParameter) settle(sheet string, a placements.Anchor, e checksum.Extent) {
	p.at = place{sheet: sheet, anchor: a, size: e}
	p.found = host.FoundParameter{At: host.NewLocation(sheet, a, e), Marked: p.found.Marked}
	if err := p.CheckSize(e); err != nil {
		p.fail(err)
	}
}

func (p *soughtParameter) fail(cause error) {
	p.found.Err, p.pending = p.Fault(cause), false
}

// ask is the range to ask for.
func (p *soughtParameter) ask() string {
	if p.byName {
		return markerName(p.ID)
	}
	return p.at.String()
}

// locateParameter finds out where the cells stand, by what the session knows; complete says that it knows all names. unknown reports that it does
// not suffice for that.
func (r *reading) locateParameter(p *soughtParameter, complete bool) (unknown bool) {
	if n := findGoogleName(r.names, markerName(p.ID)); n != nil && p.ID != "" {
		sheet, ok := r.sheets[n.Range.SheetID]
		if !ok {
			return true
		}
		cells := *n.Range
		cells.bound(sheet)
		p.found.Marked = true
		p.settle(sheet.Title, cells.anchor(), cells.extent())
		return false
	}
	if p.ID != "" && !complete {
		return true
	}
	p.found.Marked = false
	for _, sheet := range r.sheets {
		if strings.EqualFold(sheet.Title, p.At.Sheet) {
			p.settle(sheet.Title, p.At.Anchor, p.Extent())
			if end := p.At.End(); end.Row >= sheet.Grid.Rows || end.Column >= sheet.Grid.Columns {
				p.fail(host.ErrParameterDeleted)
			}
			return false
		}
	}
	if complete {
		p.fail(host.ErrParameterSheet)
	}
	return !complete
}

// takeParameters hands over the cells that an answer has of those that are sought. elsewhere reports that it does not tell where some are.
func (r *reading) takeParameters(page *page) (elsewhere bool) {
	for _, p := range r.parameters {
		if !p.pending {
			continue
		}
		unknown := r.locateParameter(p, r.complete)
		elsewhere = elsewhere || unknown
		if !p.pending || unknown {
			continue
		}
		p.byName = false
		if data := page.cellsAt(p.at); data != nil {
			p.take(data)
		}
	}
	return elsewhere
}

// surveyParameters finds out where the cells stand that are still sought. elsewhere reports that some are to be asked for otherwise than
// before, or not at all.
func (r *reading) surveyParameters() (elsewhere bool) {
	for _, p := range r.parameters {
		if !p.pending {
			continue
		}
		before := p.ask()
		p.byName = false
		r.locateParameter(p, true)
		elsewhere = elsewhere || !p.pending || p.ask() != before
	}
	return elsewhere
}

// cellsAt returns what an answer has of just a rectangle, which several may have asked for; nil if it was not read.
func (p *page) cellsAt(at place) *gridData {
	for _, d := range p.data {
		if strings.EqualFold(d.sheet, at.sheet) && d.row == at.anchor.Row && d.column == at.anchor.Column && d.size == at.size {
			return d
		}
	}
	return nil
}

// take takes over what the cells hold.
func (p *soughtParameter) take(data *gridData) {
	grid := data.grid(p.at.size.Rows)
	for row := range p.at.size.Rows {
		cells := grid.Cells(row, nil)
		for column := range p.at.size.Columns {
			at := host.Position{Row: row, Column: column}
			cell := host.TypedCell{Value: checksum.CellAt(cells, column), Date: data.dates[at]}
			cell.Covered = covered(data.merges, p.at.anchor.Row+row, p.at.anchor.Column+column)
			if data.blanks[at] {
				cell.Value = checksum.Str("")
			}
			p.found.Cells = append(p.found.Cells, cell)
		}
	}
	p.pending = false
}

// covered reports whether a cell is one of merged cells, and not the first of them.
func covered(merges []gridRange, row, column int) bool {
	for _, m := range merges {
		inside := row >= m.StartRow && row < m.EndRow && column >= m.StartColumn && column < m.EndColumn
		if inside && (row != m.StartRow || column != m.StartColumn) {
			return true
		}
	}
	return false
}
