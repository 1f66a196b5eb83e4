package host

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"mooring/checksum"
	"mooring/placements"
)

// The service answers no more than about 5 MB; the values, formulas and types of a batch of such parts stay below it, unless
// the cells hold long text.
const (
	graphReadCells = 25_000
	graphReadParts = 4 // ranges a batch
)

// maxGraphReads bounds the passes over a block that moves again and again while we look for it.
const maxGraphReads = 4

// Read is Host's. One request does when the block stands at its stored address and has no more than 100,000 cells.
func (g *Graph) Read(ctx context.Context, b Block, want checksum.Extent) (View, error) {
	if err := g.faults.invalidDocument(b.Document); err != nil {
		return View{}, err
	}
	r := graphReading{Graph: g, block: b, want: want}
	at := graphCovering(b.Sheet, b.Anchor, want)
	for range maxGraphReads {
		view, next, err := r.try(ctx, at)
		if err != nil || next == nil {
			view.Calls = r.calls
			return view, err
		}
		at = *next
	}
	return View{}, g.faults.changed(b.Document, nil)
}

// graphReading is one Read in progress.
type graphReading struct {
	*Graph
	block Block
	want  checksum.Extent
	calls int

	revision graphRevision
	sheet    graphSheet
	cells    checksum.Builder
	formulas []Formula
}

// try reads the rectangle at. When the block turns out to stand or to reach elsewhere, it gives the rectangle to read next.
func (r *graphReading) try(ctx context.Context, at graphPlace) (View, *graphPlace, error) {
	r.cells, r.formulas = checksum.Builder{}, nil
	ranges := r.ranges(at)
	first := ranges[:min(graphReadParts, len(ranges))]
	requests := append(append(r.opening(at.sheet), first...), r.markerRequest())
	replies, err := r.send(ctx, requests)
	if err != nil {
		return View{}, nil, err
	}
	if err := r.decode(replies[0], &r.revision); err != nil {
		return View{}, nil, r.fault(ctx, r.block.Document, err)
	}
	if err := r.decode(replies[1], &r.sheet); isStatus(err, http.StatusNotFound) {
		return r.lookElsewhere(ctx, at)
	} else if err != nil {
		return View{}, nil, r.fault(ctx, r.block.Document, err)
	}
	if err := r.add(replies[2 : 2+len(first)]); err != nil {
		return View{}, nil, r.fault(ctx, r.block.Document, err)
	}
	next, err := r.moved(ctx, replies[len(replies)-1], at)
	if err != nil || next != nil {
		return View{}, next, err
	}
	if err := r.further(ctx, ranges[len(first):]); err != nil {
		return View{}, nil, err
	}
	return r.view(at), nil, nil
}

// ranges are the requests that read a rectangle, in parts that the service can answer.
func (r *graphReading) ranges(at graphPlace) []graphRequest {
	var requests []graphRequest
	rows := max(1, graphReadCells/at.size.Columns)
	for from := 0; from < at.size.Rows; from += rows {
		part := graphPlace{
			sheet:  at.sheet,
			anchor: placements.Anchor{Row: at.anchor.Row + from, Column: at.anchor.Column},
			size:   checksum.Extent{Rows: min(rows, at.size.Rows-from), Columns: at.size.Columns},
		}
		requests = append(requests, graphGet(r.rangePath(r.block.Document, part)+graphRangeFields))
	}
	return requests
}

// rangePath is the path of a rectangle.
func (g *Graph) rangePath(document string, p graphPlace) string {
	end := placements.Anchor{Row: p.anchor.Row + p.size.Rows - 1, Column: p.anchor.Column + p.size.Columns - 1}
	return g.workbook(document) + "/worksheets" + odataKey(p.sheet) + "/range(address='" + p.anchor.String() + ":" + end.String() + "')"
}

func (r *graphReading) markerRequest() graphRequest {
	return graphGet(r.workbook(r.block.Document) + "/names/" + url.PathEscape(xlsxMarkerName(r.block.PlacementID)) + "?$select=value")
}

func (r *graphReading) send(ctx context.Context, requests []graphRequest) ([]graphReply, error) {
	if err := takeQuota(ctx, r.limiter, r.faults, r.quotas, len(requests)); err != nil {
		return nil, err
	}
	r.calls++
	replies, err := r.batch(ctx, requests)
	return replies, r.fault(ctx, r.block.Document, err)
}

// decode reads a reply's body, or gives its *refusal.
func (g *Graph) decode(reply graphReply, into any) error {
	if err := g.refused(reply); err != nil {
		return err
	}
	return json.Unmarshal(reply.Body, into)
}

func (r *graphReading) add(replies []graphReply) error {
	for _, reply := range replies {
		var part graphRange
		err := r.decode(reply, &part)
		if err == nil {
			r.formulas, err = part.add(&r.cells, r.formulas)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// moved looks at the marker, which the batch read after the cells: whatever moved before is noticed. It gives where to read
// instead, nil when the rectangle read is the right one.
func (r *graphReading) moved(ctx context.Context, reply graphReply, at graphPlace) (*graphPlace, error) {
	var name graphName
	err := r.decode(reply, &name)
	r.revision.Marker = ""
	if isStatus(err, http.StatusNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, r.fault(ctx, r.block.Document, err)
	}
	r.revision.Marker = cmp.Or(name.Value, "#REF!")
	marked, ok := parseGraphMarker(name.Value)
	if !ok {
		return nil, nil // it marks nothing any more
	}
	place := graphCovering(marked.Sheet, marked.Anchor, checksum.Extent{
		Rows: max(r.want.Rows, marked.Rows), Columns: max(r.want.Columns, marked.Columns),
	})
	if strings.EqualFold(marked.Sheet, r.sheet.Name) && place.anchor == at.anchor &&
		place.size.Rows <= at.size.Rows && place.size.Columns <= at.size.Columns {
		return nil, nil
	}
	return &place, nil
}

// lookElsewhere finds the block of a sheet that is not there: by its marker, or else by the sheet's id.
func (r *graphReading) lookElsewhere(ctx context.Context, at graphPlace) (View, *graphPlace, error) {
	r.sheet = graphSheet{}
	replies, err := r.send(ctx, []graphRequest{r.markerRequest()})
	if err != nil {
		return View{}, nil, err
	}
	next, err := r.moved(ctx, replies[0], at)
	if err != nil || next != nil {
		return View{}, next, err
	}
	if r.block.SheetID == "" || at.sheet == r.block.SheetID {
		return View{}, nil, r.faults.noSheet(r.block.Document, r.block.Sheet)
	}
	at.sheet = r.block.SheetID
	return View{}, &at, nil
}

// further reads the other parts of a large block, and makes sure that they belong to the same state of the document.
func (r *graphReading) further(ctx context.Context, ranges []graphRequest) error {
	for some := range slices.Chunk(ranges, graphReadParts) {
		requests := append(slices.Clone(some), graphGet(r.item(r.block.Document)+"?$select=cTag"))
		replies, err := r.send(ctx, requests)
		if err != nil {
			return err
		}
		last := len(replies) - 1
		if err := r.add(replies[:last]); err != nil {
			return r.fault(ctx, r.block.Document, err)
		}
		var item graphItem
		if err := r.decode(replies[last], &item); err != nil {
			return r.fault(ctx, r.block.Document, err)
		}
		if item.CTag != r.revision.CTag {
			return r.faults.changed(r.block.Document, nil)
		}
	}
	return nil
}

func (r *graphReading) view(at graphPlace) View {
	v := View{
		SheetID: r.sheet.ID, Sheet: r.sheet.Name, Anchor: at.anchor,
		Cells: r.cells.Grid(), Formulas: r.formulas, Revision: r.revision.String(),
	}
	if marked, ok := parseGraphMarker(r.revision.Marker); ok {
		v.Marked, v.Extent = true, checksum.Extent{Rows: marked.Rows, Columns: marked.Columns}
	}
	return v
}

// look finds out a document's revision and whether the block's sheet is there, without reading a cell.
func (r *graphReading) look(ctx context.Context) error {
	requests := append(r.opening(r.block.Sheet), r.markerRequest())
	replies, err := r.send(ctx, requests)
	if err != nil {
		return err
	}
	if err := r.decode(replies[0], &r.revision); err != nil {
		return err
	}
	if err := r.decode(replies[1], &r.sheet); isStatus(err, http.StatusNotFound) {
		return r.faults.noSheet(r.block.Document, r.block.Sheet)
	} else if err != nil {
		return err
	}
	next, err := r.moved(ctx, replies[2], graphCovering(r.block.Sheet, r.block.Anchor, checksum.Extent{Rows: placements.MaxRow, Columns: placements.MaxColumn}))
	if err == nil && next != nil {
		err = r.faults.changed(r.block.Document, nil)
	}
	return err
}

// opening are the requests that every look at a sheet begins with.
func (r *graphReading) opening(sheet string) []graphRequest {
	return []graphRequest{
		graphGet(r.item(r.block.Document) + "?$select=cTag"),
		graphGet(r.workbook(r.block.Document) + "/worksheets" + odataKey(sheet) + "?$select=id,name"),
	}
}
