package web

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/gin-gonic/gin"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh"
	"mooring/refresh/host"
	"mooring/storage"
	"mooring/web/bind"
)

// startClientRun answers with the hold on a run of one placement that the caller's add-in works on (decisions.md §7d).
func (s *Server) startClientRun(c *gin.Context, report *storage.Report, req refresh.Request) error {
	placed, _ := report.Find(req.Target.PlacementID)
	lease, err := s.engine.StartClient(c.Request.Context(), current(c).deployment(), req, placed.Placement)
	if err != nil {
		return err
	}
	c.Header("Location", c.Request.URL.Path+"/"+lease.RunID)
	c.JSON(http.StatusAccepted, gin.H{"runId": lease.RunID, "fence": lease.Fence, "leaseUntil": placements.Time(lease.Until)})
	return nil
}

// stepInput is the body of a step of an add-in with its run.
type stepInput struct{ fence int64 }

func (b *stepInput) members(o *bind.Object) {
	o.Required("fence")
	bind.Whole(o, "fence", &b.fence, 1)
}

// step reads a step with the path's run; in has the fence at.
func (s *Server) step(c *gin.Context, in body, fence *int64) (refresh.ClientStep, error) {
	run, err := s.readableRun(c)
	if err != nil {
		return refresh.ClientStep{}, err
	}
	current(c).guard.still = func() error { _, err := s.readableRun(c); return err }
	if err := s.read(c, in); err != nil {
		return refresh.ClientStep{}, err
	}
	r := current(c)
	return refresh.ClientStep{Deployment: r.deployment(), Run: run, Fence: *fence, By: r.Caller.Actor}, nil
}

// renewLease prolongs an add-in's hold on its run.
func (s *Server) renewLease(c *gin.Context) error {
	var in stepInput
	step, err := s.step(c, &in, &in.fence)
	if err != nil {
		return err
	}
	lease, err := s.engine.RenewClient(c.Request.Context(), step)
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, gin.H{"runId": lease.RunID, "fence": lease.Fence, "leaseUntil": placements.Time(lease.Until)})
	return nil
}

// completeInput is the body of the end of a run by an add-in.
type completeInput struct {
	stepInput
	wrote *checksum.ResultChecksum
}

func (b *completeInput) members(o *bind.Object) {
	b.stepInput.members(o)
	o.Required("resultChecksum")
	bind.Pointer(o, "resultChecksum", &b.wrote, checksumMembers)
}

// completeRun settles a run once its add-in has written what was planned.
func (s *Server) completeRun(c *gin.Context) error {
	var in completeInput
	step, err := s.step(c, &in, &in.fence)
	if err != nil {
		return err
	}
	if _, err := s.engine.CompleteClient(c.Request.Context(), step, *in.wrote); err != nil {
		return err
	}
	run, err := s.readableRun(c) // as every reader sees it
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, run)
	return nil
}

// planRun answers with what the add-in is to write to make the block of its run show the report's table, or with what else of the sheet it
// must send.
func (s *Server) planRun(c *gin.Context) error {
	in := planInput{}
	step, err := s.step(c, &in, &in.fence)
	if err != nil {
		return err
	}
	plan, err := s.engine.PlanClient(c.Request.Context(), step, in.sheet())
	out := s.pace(c.Writer) // the query may have taken longer than any other answer
	if need, ok := errors.AsType[*refresh.NeedError](err); ok {
		c.JSON(http.StatusOK, gin.H{"need": needOf(need)})
		return nil
	}
	if err != nil {
		return planFault(err)
	}
	defer plan.Close()
	return streamPlan(c, out, plan)
}

// planFault is the answer to a plan that failed.
func planFault(err error) error {
	f, ok := errors.AsType[*placements.Fault](err)
	if ok && f.Class == placements.Conflict {
		return placements.Errorf(placements.CodeBlockConflict, "%s", f.Message).Because(err)
	}
	return resultFault(err)
}

// planNeed is what else of a sheet is to be sent.
type planNeed struct {
	Extent *planExtent `json:"extent,omitempty"`
	Rows   []planSpan  `json:"rows,omitempty"`
}

type planExtent struct {
	Rows    int `json:"rows"`
	Columns int `json:"columns"`
}

type planSpan struct {
	From int `json:"from"`
	To   int `json:"to"`
}

func needOf(e *refresh.NeedError) (n planNeed) {
	if e.Extent != (checksum.Extent{}) {
		n.Extent = &planExtent{e.Extent.Rows, e.Extent.Columns}
	}
	for _, span := range e.Rows {
		n.Rows = append(n.Rows, planSpan(span))
	}
	return n
}

// planHead is the answer up to the rows of its patch.
type planHead struct {
	ResultChecksum checksum.ResultChecksum `json:"resultChecksum"`
	Edits          planEdits               `json:"edits"`
	MovedRows      int                     `json:"movedRows"`
	Message        string                  `json:"message"`
	Patch          patchHead               `json:"patch"` // the last
}

type planEdits struct {
	Rows  int `json:"rows"`
	Cells int `json:"cells"`
}

type patchHead struct {
	Anchor  string       `json:"anchor"`
	Extent  planExtent   `json:"extent"`
	Marker  string       `json:"marker"`
	Shifts  []patchShift `json:"shifts"`
	Clear   []patchRect  `json:"clear"`
	Formats []*string    `json:"formats"` // a column; null leaves the format that its cells have
}

type patchShift struct {
	Row  int `json:"row"`
	Rows int `json:"rows"`
}

type patchRect struct {
	Row     int `json:"row"`
	Column  int `json:"column"`
	Rows    int `json:"rows"`
	Columns int `json:"columns"`
}

func headOf(plan *refresh.ClientPlan) planHead {
	p := &plan.Patch
	head := patchHead{
		Anchor: placements.Location{Sheet: p.Block.Sheet, Anchor: p.Block.Anchor}.String(),
		Extent: planExtent(p.Extent), Marker: plan.Marker, Shifts: []patchShift{}, Clear: []patchRect{}, Formats: []*string{},
	}
	for _, s := range p.Shifts {
		head.Shifts = append(head.Shifts, patchShift{s.At, s.Rows})
	}
	for _, r := range p.Clear {
		head.Clear = append(head.Clear, patchRect(r))
	}
	for column := 0; p.Formatted() && column < p.Extent.Columns; column++ {
		head.Formats = append(head.Formats, formatOf(p, column))
	}
	return planHead{
		ResultChecksum: plan.Checksum, Edits: planEdits{plan.EditedRows, plan.EditedCells}, MovedRows: plan.MovedRows,
		Message: plan.Message, Patch: head,
	}
}

// generalFormat is the number format of cells that have none, as spreadsheet programs name it.
const generalFormat = "General"

func formatOf(p *host.Patch, column int) *string {
	format, ok := p.NumberFormat(column)
	if !ok {
		return nil
	}
	if format == "" {
		format = generalFormat
	}
	return &format
}

// streamPlan answers with a plan in pieces, as resultAnswer.stream does.
func streamPlan(c *gin.Context, to *pacer, plan *refresh.ClientPlan) error {
	head, err := encode(headOf(plan))
	if err != nil {
		return err
	}
	out, p := newResultWriter(c, to), &plan.Patch
	buffer := append(head[:len(head)-2], `,"rows":[`...)
	for i, span := range p.Rows {
		if i > 0 {
			buffer = append(buffer, ',')
		}
		if buffer, err = writePatchRows(c.Request.Context(), out, buffer, p, span); err != nil {
			return nil //nolint:nilerr // the client is gone, and had its status
		}
	}
	if _, err := out.Write(append(buffer, "]}}\n"...)); err == nil {
		_ = out.Close()
	}
	return nil
}

// writePatchRows appends rows to write.
func writePatchRows(ctx context.Context, out io.Writer, buffer []byte, p *host.Patch, span checksum.Span) ([]byte, error) {
	var cells []checksum.Cell
	buffer = append(appendSpan(buffer, span), `,"cells":[`...)
	return streamRows(ctx, out, buffer, span, func(buffer []byte, row int) []byte {
		cells = p.Grid.Cells(row, cells[:0])
		formulas := p.FormulasIn(row)
		if len(formulas) == 0 {
			return appendCells(buffer, cells, p.Extent.Columns)
		}
		return appendTyped(buffer, cells, formulas, p.Extent.Columns)
	})
}

// appendTyped is appendCells for a row with formulas: {"formula":"=A1*2"} to write one, {"keep":true} for a cell that stays as it stands.
func appendTyped(out []byte, cells []checksum.Cell, formulas []host.Formula, columns int) []byte {
	out = append(out, '[')
	for i := range columns {
		if i > 0 {
			out = append(out, ',')
		}
		switch {
		case len(formulas) == 0 || formulas[0].Column != i:
			out = appendCell(out, cellAt(cells, i))
			continue
		case formulas[0].Text == "":
			out = append(out, `{"keep":true}`...)
		default:
			out = append(appendText(append(out, `{"formula":`...), formulas[0].Text), '}')
		}
		formulas = formulas[1:]
	}
	return append(out, ']')
}
