package graph

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/rest"
)

var _ host.ParameterReader = (*session)(nil)

// ReadParameters is host.ParameterReader's. Alone, cells that have names are asked for by these, so that one batch finds up to seventeen
// wherever they have gone; together with blocks, where they were last read, a moment ago. The service does not tell of merged cells.
func (s *session) ReadParameters(ctx context.Context, wanted []host.Wanted, cells []host.ParameterCells) ([]host.Found, []host.FoundParameter, error) {
	parameters := make([]*soughtParameter, len(cells))
	for i, c := range cells {
		parameters[i] = &soughtParameter{ParameterCells: c}
		parameters[i].settle(c.At.Sheet, c.At.Anchor, c.Extent())
	}
	s.parameters.Read()
	found, calls, err := s.readAll(ctx, wanted, parameters)
	if err != nil {
		return nil, nil, err
	}
	list := make([]host.FoundParameter, len(cells))
	for i, p := range parameters {
		list[i] = p.found
		list[i].Date1904 = s.date1904 && p.found.Err == nil
	}
	if len(list) > 0 && len(found) == 0 {
		list[0].Calls = calls
	}
	return found, list, nil
}

// soughtParameter are cells of a parameter, and where they are looked for.
type soughtParameter struct {
	host.ParameterCells
	area  *cellArea // nil once it is known why they are not read
	found host.FoundParameter
}

// settle says where the cells stand, as far as such cells can be a parameter's.
func (p *soughtParameter) settle(sheet string, a placements.Anchor, e checksum.Extent) {
	p.found.At, p.found.Err = host.NewLocation(sheet, a, e), nil
	if err := p.CheckSize(e); err != nil {
		p.fail(err)
		return
	}
	if at := (place{sheet: sheet, anchor: a, size: e}); p.area == nil || p.area.at != at {
		p.area = newArea(at)
		p.area.noted = map[host.Position]note{}
	}
}

func (p *soughtParameter) fail(cause error) {
	p.found.Err, p.area = p.Fault(cause), nil
}

// finish hands over what the cells hold.
func (p *soughtParameter) finish() {
	if p.area == nil {
		return
	}
	grid, size := p.area.cells.Grid(), p.area.at.size
	p.found.Cells = nil
	for row := range size.Rows {
		cells := grid.Cells(row, nil)
		for column := range size.Columns {
			note := p.area.noted[host.Position{Row: row, Column: column}]
			cell := host.TypedCell{Value: checksum.CellAt(cells, column), Date: note.date}
			if note.blank {
				cell.Value = checksum.Str("")
			}
			p.found.Cells = append(p.found.Cells, cell)
		}
	}
}

// locateParameter finds out where the cells stand, once the names are known.
func (r *reading) locateParameter(p *soughtParameter) {
	n, marked := r.named(host.MarkerName(p.ID))
	if p.found.Marked = marked && p.ID != ""; !p.found.Marked {
		sheet, ok := r.sheet(p.At.Sheet)
		if p.settle(sheet.Name, p.At.Anchor, p.Extent()); !ok {
			p.found.At = p.At
			p.fail(host.ErrParameterSheet)
		}
		return
	}
	l, ok := parseGraphMarker(n.Value)
	sheet, there := r.sheet(l.Sheet)
	switch {
	case strings.Contains(n.Value, "#REF!"), ok && !there && !host.IsForeignSheet(strings.TrimPrefix(n.Value, "="), l.Sheet):
		p.fail(host.ErrParameterDeleted)
	case !ok || !there:
		p.fail(host.ErrParameterShape)
	default:
		p.settle(sheet.Name, l.Anchor, rest.Size(l))
	}
}

// areas are all that is to be read.
func (r *reading) areas(blocks []*sought) []*cellArea {
	areas := areasOf(blocks)
	for _, p := range r.parameters {
		if p.area != nil {
			areas = append(areas, p.area)
		}
	}
	return areas
}

// readNamed reads cells of parameters by their names, and what that leaves where they stand: one without a name, or whose name is not there
// any more, and those that the batch has no room for.
func (r *reading) readNamed(ctx context.Context) error {
	requests := append(r.overview(), r.dateRequest())
	var asked []*soughtParameter
	for _, p := range r.parameters {
		if len(requests) == batchRequests {
			break
		}
		if p.area != nil {
			asked = append(asked, p)
			requests = append(requests, newGet(r.parameterPath(p)+placedFields))
		}
	}
	replies, err := r.ask(ctx, requests)
	if err != nil {
		return err
	}
	if err := r.learn(ctx, replies); err != nil {
		return err
	}
	r.learnDates(replies[2])
	for _, p := range r.parameters {
		r.locateParameter(p)
	}
	for i, p := range asked {
		if err := r.takeNamed(p, replies[3+i]); err != nil {
			return err
		}
	}
	for {
		next := r.nextParts(r.areas(nil), batchRequests-1)
		if len(next) == 0 {
			return nil
		}
		if err := r.further(ctx, next); errors.Is(err, errGraphTag) {
			return r.changed(err)
		} else if err != nil {
			return err
		}
	}
}

// placedFields are rangeFields and where the range stands.
const placedFields = rangeFields + ",rowIndex,columnIndex,rowCount,columnCount"

// parameterPath is the path of the cells: by their name if they have one.
func (r *reading) parameterPath(p *soughtParameter) string {
	if p.ID != "" {
		return r.pathOfName(host.MarkerName(p.ID)) + "/range"
	}
	return r.rangePath(r.document, p.area.at)
}

// takeNamed takes the cells out of a reply, if they are those that stand where the cells are. A reply that has none leaves them to be read
// there.
func (r *reading) takeNamed(p *soughtParameter, reply reply) error {
	if p.area == nil || reply.Status/100 == 4 {
		return nil
	}
	var cells struct {
		rangeData
		RowIndex, ColumnIndex, RowCount, ColumnCount int
	}
	if err := r.decode(reply, &cells); err != nil {
		return err
	}
	at := place{p.area.at.sheet, placements.Anchor{Row: cells.RowIndex, Column: cells.ColumnIndex}, checksum.Extent{Rows: cells.RowCount, Columns: cells.ColumnCount}}
	if at != p.area.at {
		return nil
	}
	return cells.add(p.area)
}

// dateRequest asks what number stands for a day, learnDates reads the reply: the service does not tell otherwise whether a workbook counts
// from 1904. One that does not say is taken to count from 1900, as nearly all do.
func (r *reading) dateRequest() request {
	return sendBody(http.MethodPost, r.workbook(r.document)+"/functions/date", []byte(`{"year":2000,"month":1,"day":1}`))
}

func (r *reading) learnDates(reply reply) (told bool) {
	var day struct {
		Value float64 `json:"value"`
	}
	told = r.decode(reply, &day) == nil
	r.date1904 = told && day.Value == 35064
	return told
}
