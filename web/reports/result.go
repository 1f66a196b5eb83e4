package reports

import (
	"context"
	"errors"
	"io"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/bind"
	"mooring/web/members"
	"mooring/web/request"
	"mooring/web/sheet"
)

// resultBody is the body of a result (decisions.md §7).
type resultBody struct {
	request.MayBeMissing
	have   *checksum.ResultChecksum // of what the client has; nil when it has nothing
	first  placements.Optional[int64]
	format string
	values map[string]placements.ParameterValue
}

// Members implements request.Body.
func (b *resultBody) Members(o *bind.Object) {
	bind.Pointer(o, "have", &b.have, members.Checksum)
	o.OptionalWhole("first", &b.first, 0)
	bind.Choice(o, "format", &b.format, resultFormats)
	members.Values(o, &b.values)
}

// Check judges the checksum that was sent.
func (b *resultBody) Check(_ *request.Call, f *bind.Faults) {
	if b.have == nil {
		return
	}
	faults, _ := errors.AsType[checksum.FieldFaults](b.have.Validate())
	found := make(bind.Faults, len(faults))
	for i, one := range faults {
		found[i] = placements.Detail{Pointer: "/have" + one.Pointer, Code: placements.CodeChecksum, Message: one.Message}
	}
	f.Join(found...)
}

// The forms of a result's rows: an array of cells a row, the header being row 0, or an object a row with the columns' names.
const (
	formatRows    = "rows"
	formatObjects = "objects"
)

var resultFormats = []string{formatRows, formatObjects}

// result runs the report's query and answers with its table, or with the chunks of it that differ from those that the client has.
func (a *API) result(ctx context.Context, c *request.Call, report *storage.Report) (any, error) {
	var in resultBody
	if err := c.Read(&in); err != nil {
		return nil, err
	}
	with, wrong := placements.GivenArguments(report.Parameters, in.values)
	if len(wrong) > 0 {
		return nil, placements.Faulty(wrong...)
	}
	found, err := a.Engine.Result(ctx, c.At, report, with, c.Caller.Actor)
	out := c.Pace() // the query may have taken longer than any other answer
	if err != nil {
		return nil, sheet.QueryFault(err)
	}
	return openResult{found, report.CurrentChecksum, &in, out}, nil
}

// openResult answers with a result, and closes it.
type openResult struct {
	result *refresh.Result
	query  string // its checksum
	in     *resultBody
	out    io.Writer
}

// Send implements request.Answer.
func (r openResult) Send(c *request.Call) error {
	defer r.result.Close()
	answer := resultAnswer{
		grid: r.result.Grid, formats: r.result.Formats, filters: r.result.Filters, query: r.query, have: r.in.have,
		objects: r.in.format == formatObjects,
	}
	answer.cut(r.in.first.Value)
	return answer.stream(c, r.out)
}

// resultAnswer is a table on its way to a client. What it takes beside the table does not depend on the table's size.
type resultAnswer struct {
	grid    *checksum.Grid
	formats []string
	filters []refresh.Filter
	query   string
	have    *checksum.ResultChecksum
	objects bool
	total   int // rows before any were cut off
}

// cut keeps the header and the first rows below it.
func (a *resultAnswer) cut(first *int64) {
	a.total = a.grid.Rows()
	if first == nil || int64(a.total) <= *first+1 {
		return
	}
	a.grid = a.grid.Slice(0, int(*first)+1)
}

// resultHead is the answer up to its rows.
type resultHead struct {
	Columns        []sheet.TableColumn     `json:"columns"`
	RowCount       int                     `json:"rowCount"` // the header included
	ColumnCount    int                     `json:"columnCount"`
	HasMoreRows    bool                    `json:"hasMoreRows"`
	TotalRowCount  int                     `json:"totalRowCount"` // of the whole table
	ResultChecksum checksum.ResultChecksum `json:"resultChecksum"`
	QueryChecksum  string                  `json:"queryChecksum"`
	AppliedFilters []refresh.Filter        `json:"appliedFilters"`
	Clear          resultClear             `json:"clear"`
}

// resultClear says what to empty of the block that the client has: the rows [FromRow,ToRow), and every column from FromColumn on that it
// has.
type resultClear struct {
	FromRow    int `json:"fromRow"`
	ToRow      int `json:"toRow"`
	FromColumn int `json:"fromColumn"`
}

// stream sends the answer in pieces. The status is sent with the first: a client that reads less than the closing brace knows that it broke
// off.
func (a *resultAnswer) stream(c *request.Call, to io.Writer) error {
	sum := a.grid.Checksum()
	spans := []checksum.Span{{From: 0, To: a.grid.Rows()}}
	clear := resultClear{FromRow: a.grid.Rows(), ToRow: a.grid.Rows(), FromColumn: a.grid.Columns()}
	if a.have != nil {
		spans = sum.Since(*a.have)
		clear.ToRow = max(clear.ToRow, a.have.Rows())
	}
	columns := sheet.Columns(a.grid, a.formats)
	head, err := record.EncodeBytes(resultHead{
		columns, a.grid.Rows(), a.grid.Columns(), a.grid.Rows() < a.total, a.total, sum, a.query, append([]refresh.Filter{}, a.filters...), clear,
	})
	if err != nil {
		return err
	}
	out := c.Pack(to)
	buffer := append(head[:len(head)-1], `,"writes":[`...)
	for i, span := range spans {
		if i > 0 {
			buffer = append(buffer, ',')
		}
		if buffer, err = a.write(c.Request.Context(), out, buffer, span, columns); err != nil {
			return nil //nolint:nilerr // the client is gone, and had its status
		}
	}
	if _, err := out.Write(append(buffer, "]}\n"...)); err == nil {
		_ = out.Close()
	}
	return nil
}

// write appends one write, sending the buffer whenever it is full.
func (a *resultAnswer) write(
	ctx context.Context, out io.Writer, buffer []byte, span checksum.Span, columns []sheet.TableColumn,
) ([]byte, error) {
	buffer = append(sheet.AppendSpan(buffer, span), `,"rows":[`...)
	var cells []checksum.Cell
	if a.objects {
		span.From = max(span.From, 1) // the names are in every object
	}
	return sheet.WriteRows(ctx, out, buffer, span, func(buffer []byte, row int) []byte {
		cells = a.grid.Cells(row, cells[:0])
		if a.objects {
			return appendObject(buffer, cells, columns)
		}
		return sheet.AppendCells(buffer, cells, len(columns))
	})
}

// appendObject appends a row as an object; columns of one name repeat it.
func appendObject(out []byte, cells []checksum.Cell, columns []sheet.TableColumn) []byte {
	out = append(out, '{')
	for i, column := range columns {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(sheet.AppendText(out, column.Name), ':')
		out = sheet.AppendCell(out, checksum.CellAt(cells, i))
	}
	return append(out, '}')
}
