package sheet

import (
	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh"
	"mooring/refresh/host"
)

// Need is what else of a sheet an add-in is to send.
type Need struct {
	Extent  *extent   `json:"extent,omitempty"`
	Rows    []rowSpan `json:"rows,omitempty"`
	Status  string    `json:"status,omitempty"`         // the cell of the block's sheet
	Filters string    `json:"appliedFilters,omitempty"` // likewise

	Parameters []parameterNeed `json:"parameters,omitempty"`
}

type extent struct {
	Rows    int `json:"rows"`
	Columns int `json:"columns"`
}

type rowSpan struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// NeedOf returns what an add-in is told of e.
func NeedOf(e *refresh.NeedError) (n Need) {
	if e.Extent != (checksum.Extent{}) {
		n.Extent = &extent{e.Extent.Rows, e.Extent.Columns}
	}
	for _, span := range e.Rows {
		n.Rows = append(n.Rows, rowSpan(span))
	}
	n.Status, n.Filters, n.Parameters = e.Status, e.Filters, parameterNeeds(e)
	return n
}

// planHead is the answer up to the rows of its patch.
type planHead struct {
	ResultChecksum checksum.ResultChecksum `json:"resultChecksum"`
	Edits          edits                   `json:"edits"`
	MovedRows      int                     `json:"movedRows"`
	Message        string                  `json:"message"`
	Patch          patchHead               `json:"patch"` // the last
}

type edits struct {
	Rows  int `json:"rows"`
	Cells int `json:"cells"`
}

type patchHead struct {
	Anchor  string       `json:"anchor"`
	Extent  extent       `json:"extent"`
	Marker  string       `json:"marker"`
	Stamp   string       `json:"stamp,omitempty"`
	Shifts  []patchShift `json:"shifts"`
	Beside  int          `json:"beside,omitempty"` // as many columns from the anchor on shift, if the block has fewer
	Clear   []patchRect  `json:"clear"`
	Formats []*string    `json:"formats"` // a column; null leaves the format that its cells have
	Status  *patchStatus `json:"status,omitempty"`
	Filters *patchStatus `json:"appliedFilters,omitempty"`
}

type patchStatus struct {
	Cell   string `json:"cell"`
	Text   string `json:"text"`
	Marker string `json:"marker"`
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
		Extent: extent(p.Extent), Marker: plan.Marker, Stamp: p.Stamp, Shifts: []patchShift{}, Beside: plan.Beside, Clear: []patchRect{}, Formats: []*string{},
	}
	head.Status, head.Filters = (*patchStatus)(plan.Status), (*patchStatus)(plan.Filters)
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
		ResultChecksum: plan.Checksum, Edits: edits{plan.EditedRows, plan.EditedCells}, MovedRows: plan.MovedRows,
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
