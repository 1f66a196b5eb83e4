package marks

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh"
	"mooring/refresh/host"
	"mooring/refresh/host/hosttest/book"
	"mooring/storage/record"
)

// pane is an add-in in which the document of a block is open.
type pane struct {
	*mooredBlock
	book *book.Book
}

// mooringPane has documents that an add-in refreshes.
func mooringPane(t *testing.T) *mooring {
	m := newMooring(t, placements.SheetsB, nil)
	m.add = func(string) (document, func(*mooredBlock) placed) {
		b := book.New(200, seenColumns, "Data", "Other")
		return bookDocument{func(change func(*book.Book)) { change(b) }}, func(block *mooredBlock) placed { return &pane{block, b} }
	}
	return m
}

// refresh makes a client run: it sends what stands, writes what is planned and says so.
func (p *pane) refresh(source []*item) (*record.Run, error) {
	p.records.set(p.query, source)
	placed := p.placement()
	request := refresh.Request{
		Executor: record.ExecutorClient, By: marksActor, Target: record.RunTarget{ReportID: p.report, PlacementID: placed.ID},
	}
	lease, err := p.engine.ClientRuns().Start(p.Context(), marksDeployment, request, placed)
	if err != nil {
		return nil, err
	}
	step := refresh.ClientStep{Deployment: marksDeployment, Fence: lease.Fence, By: marksActor, Run: p.run(lease.RunID)}
	plan, err := p.plan(step, placed)
	if _, refused := errors.AsType[*placements.Fault](err); refused {
		return p.run(lease.RunID), nil
	}
	if err != nil {
		return nil, err
	}
	defer plan.Close()
	if err := p.write(plan); err != nil {
		return nil, err
	}
	return p.engine.ClientRuns().Complete(p.Context(), step, plan.Checksum, refresh.Uncovered{})
}

func (p *pane) placement() placements.Placement {
	p.Helper()
	report, err := p.store.Reports().Get(p.Context(), marksDeployment, p.report)
	must(p.T, err)
	return report.Placements[0].Placement
}

func (p *pane) run(id string) *record.Run {
	p.Helper()
	run, err := p.store.Queue().Runs.Get(p.Context(), marksDeployment, id)
	must(p.T, err)
	return run
}

// plan asks for a plan, and sends more of the sheet where that needs it.
func (p *pane) plan(step refresh.ClientStep, placed placements.Placement) (*refresh.ClientPlan, error) {
	extent := checksum.Extent{Rows: 1, Columns: 1}
	for range 5 {
		plan, err := p.engine.ClientRuns().Plan(p.Context(), step, p.sheet(placed, extent))
		need, more := errors.AsType[*refresh.NeedError](err)
		if !more {
			return plan, err
		}
		extent = extent.Union(need.Extent)
	}
	return nil, errors.New("the plan needs more again and again")
}

// sheet is what the add-in sends: the block where its marker stands, and all formulas around.
func (p *pane) sheet(placed placements.Placement, extent checksum.Extent) refresh.Sheet {
	at, err := placements.ParseAnchor(placed.AnchorCell)
	must(p.T, err)
	s := refresh.Sheet{Name: "Data", Anchor: at}
	if n := p.book.Name(host.MarkerName(placed.ID)); n != nil && n.Sheet != nil {
		s.Anchor = placements.Anchor{Row: n.Rect.Row, Column: n.Rect.Column}
		s.Marked = checksum.Extent{Rows: n.Rect.Rows, Columns: n.Rect.Columns}
	}
	s.Extent = extent.Union(s.Marked)
	var b checksum.Builder
	data := p.book.Sheet("Data")
	for row := range s.Extent.Rows {
		line := make([]checksum.Cell, s.Extent.Columns)
		for column := range line {
			line[column] = valueOf(data.Cell(s.Anchor.Row+row, s.Anchor.Column+column))
		}
		b.Append(line...)
	}
	s.Cells = b.Grid()
	s.Formulas = formulasOf(data, s.Anchor, s.Extent)
	for _, one := range p.book.Sheets {
		whole := checksum.Extent{Rows: one.Used(), Columns: seenColumns}
		s.Around = append(s.Around, refresh.SheetFormulas{Name: one.Title, Formulas: formulasOf(one, placements.Anchor{}, whole)})
	}
	return s
}

func valueOf(c book.Content) checksum.Cell {
	switch v := c.Value.(type) {
	case float64:
		return checksum.Num(v)
	case string:
		return checksum.Str(v)
	}
	return checksum.Cell{}
}

func formulasOf(s *book.Sheet, at placements.Anchor, extent checksum.Extent) (list []host.Formula) {
	for row := range extent.Rows {
		for column := range extent.Columns {
			if text := s.Cell(at.Row+row, at.Column+column).Formula; text != "" {
				list = append(list, host.Formula{Position: host.Position{Row: row, Column: column}, Text: text})
			}
		}
	}
	return list
}

// write does what the patch of a plan says, as the document's program does.
func (p *pane) write(plan *refresh.ClientPlan) error {
	for _, f := range plan.Formulas {
		if f.Was == nil {
			continue
		}
		if got := p.book.Sheet(f.Sheet).Cell(f.Was.Row, f.Was.Column).Formula; got != f.Was.Text {
			return fmt.Errorf("the plan wants %q in row %d, column %d of %s: there stands %q", f.Was.Text, f.Was.Row, f.Was.Column, f.Sheet, got)
		}
	}
	patch, data := &plan.Patch, p.book.Sheet("Data")
	if len(patch.Moves) > 0 {
		return errors.New("the plan moves rows, which an add-in does not")
	}
	p.shift(plan, data)
	for _, span := range patch.Rows {
		for row := span.From; row < span.To; row++ {
			p.writeRow(patch, data, row)
		}
	}
	for _, r := range patch.Clear {
		for row := range r.Rows {
			for column := range r.Columns {
				data.Set(patch.Block.Anchor.Row+r.Row+row, patch.Block.Anchor.Column+r.Column+column, nil)
			}
		}
	}
	for _, f := range plan.Formulas {
		for i, text := range slices.Collect(f.Texts()) {
			p.book.Sheet(f.Sheet).SetFormula(f.At.Row+i, f.At.Column, text, 1.0)
		}
	}
	return nil
}

// shift inserts and deletes cells over the columns of the block and those beside it, and marks what the block takes then.
func (p *pane) shift(plan *refresh.ClientPlan, data *book.Sheet) {
	patch, at := &plan.Patch, plan.Patch.Block.Anchor
	columns := max(patch.Extent.Columns, patch.FillRight.To-at.Column)
	for _, s := range patch.Shifts {
		area := book.Region{Row: at.Row + s.At, Column: at.Column, Rows: max(s.Rows, -s.Rows), Columns: columns}
		if s.Rows > 0 {
			data.InsertCells(area)
		} else {
			data.DeleteCells(area)
		}
	}
	p.book.DeleteName(plan.Marker)
	rect := book.Region{Row: at.Row, Column: at.Column, Rows: patch.Extent.Rows, Columns: patch.Extent.Columns}
	p.book.AddName(book.Name{ID: plan.Marker, Name: plan.Marker, Sheet: data, Rect: rect})
}

// writeRow writes a row of a patch; a formula without a text stays as it stands.
func (p *pane) writeRow(patch *host.Patch, data *book.Sheet, row int) {
	at, values, formulas := patch.Block.Anchor, patch.Grid.Cells(row, nil), patch.FormulasIn(row)
	for column := range patch.Extent.Columns {
		if host.Stays(formulas, column) {
			continue
		}
		var value any
		switch c := checksum.CellAt(values, column); c.Kind {
		case checksum.Number:
			value = c.Number
		case checksum.Text:
			value = c.Text
		}
		i := slices.IndexFunc(formulas, func(f host.Formula) bool { return f.Column == column })
		if i >= 0 {
			data.SetFormula(at.Row+row, at.Column+column, formulas[i].Text, value)
		} else {
			data.Set(at.Row+row, at.Column+column, value)
		}
	}
}
