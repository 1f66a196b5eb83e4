package host

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"mooring/checksum"
	"mooring/placements"
)

// googlePlace is a rectangle of a document. Rows and Columns may be 0 when nothing of it lies in the sheet.
type googlePlace struct {
	sheet  string
	anchor placements.Anchor
	size   checksum.Extent
}

const (
	googleSurveyFields = "namedRanges(namedRangeId,name,range),sheets(properties(sheetId,title,gridProperties(rowCount,columnCount)))"
	googleReadFields   = "namedRanges(namedRangeId,name,range),sheets(properties(sheetId,title,gridProperties(rowCount,columnCount))," +
		"data(rowData(values(userEnteredValue(formulaValue),effectiveValue))))"
)

// maxGoogleReads bounds the reads of a block that moves again and again while we look for it.
const maxGoogleReads = 6

// Read is Host's. One request does when the block stands at its stored address; one that moved, or reaches beyond the
// sheet's end, takes two or three.
func (g *Google) Read(ctx context.Context, b Block, want checksum.Extent) (View, error) {
	if err := g.faults.invalidDocument(b.Document); err != nil {
		return View{}, err
	}
	r := googleReading{Google: g, block: b, want: want}
	at := googlePlace{sheet: b.Sheet, anchor: b.Anchor, size: atLeastOne(want)}
	for r.calls < maxGoogleReads {
		view, next, err := r.try(ctx, at)
		if err != nil || next == nil {
			view.Calls = r.calls
			return view, err
		}
		at = *next
	}
	return View{}, g.faults.changed(b.Document, nil)
}

// googleReading is one Read in progress.
type googleReading struct {
	*Google
	block Block
	want  checksum.Extent
	calls int
}

// try reads the rectangle at. When the block turns out to stand or to reach elsewhere, it gives the rectangle to read next.
func (r *googleReading) try(ctx context.Context, at googlePlace) (View, *googlePlace, error) {
	page, err := r.get(ctx, at)
	var refused *refusal
	if errors.As(err, &refused) && refused.Status == http.StatusBadRequest {
		// No such sheet, or not so large: see what there is.
		return r.survey(ctx, at, refused)
	}
	if err != nil {
		return View{}, nil, r.fault(ctx, r.block.Document, err)
	}
	found, err := r.locate(page, false)
	switch {
	case err != nil:
		return View{}, nil, err
	case found.elsewhere:
		return r.survey(ctx, at, nil)
	case !found.within(at):
		place := found.place()
		return View{}, &place, nil
	}
	r.remember(found)
	return found.view(page, at), nil, nil
}

// survey looks at names and sheets only. refused is why the rectangle just tried was not read, nil if it was.
func (r *googleReading) survey(ctx context.Context, tried googlePlace, refused error) (View, *googlePlace, error) {
	r.calls++
	page, err := r.overview(ctx, r.block.Document)
	if err != nil {
		return View{}, nil, err
	}
	found, err := r.locate(page, true)
	if err != nil {
		return View{}, nil, err
	}
	place := found.place()
	if place.size.Rows == 0 || place.size.Columns == 0 {
		r.remember(found)
		return found.view(page, place), nil, nil
	}
	if place == tried && refused != nil {
		return View{}, nil, r.fault(ctx, r.block.Document, refused)
	}
	return View{}, &place, nil
}

// overview reads a document's names and all its sheets' sizes.
func (g *Google) overview(ctx context.Context, document string) (*googlePage, error) {
	page, err := g.ask(ctx, document, url.Values{"fields": {googleSurveyFields}})
	return page, g.fault(ctx, document, err)
}

func (r *googleReading) get(ctx context.Context, at googlePlace) (*googlePage, error) {
	r.calls++
	end := placements.Anchor{Row: at.anchor.Row + at.size.Rows - 1, Column: at.anchor.Column + at.size.Columns - 1}
	ranges := "'" + strings.ReplaceAll(at.sheet, "'", "''") + "'!" + at.anchor.String() + ":" + end.String()
	return r.ask(ctx, r.block.Document, url.Values{"ranges": {ranges}, "fields": {googleReadFields}})
}

func (g *Google) ask(ctx context.Context, document string, query url.Values) (*googlePage, error) {
	if err := takeQuota(ctx, g.limiter, g.faults, g.reads, 1); err != nil {
		return nil, err
	}
	body, err := g.rest.do(ctx, call{Method: http.MethodGet, Path: g.path(document), Query: query})
	if err != nil {
		return nil, err
	}
	defer body.Close()
	return decodeGooglePage(body)
}

// googleFound is where a block stands.
type googleFound struct {
	sheet     googleSheet
	marker    *googleName // nil when it has none
	anchor    placements.Anchor
	want      checksum.Extent
	elsewhere bool // the marker is on a sheet that the answer did not tell of
}

// locate finds the block by its marker, or else at its stored address. complete says that the answer tells of every
// sheet, so that a marker on none of them is lost.
func (r *googleReading) locate(p *googlePage, complete bool) (googleFound, error) {
	found := googleFound{anchor: r.block.Anchor, want: r.want}
	if n := p.name(googleMarkerName(r.block.PlacementID)); n != nil {
		sheet, ok := p.sheetByID(n.Range.SheetID)
		if ok {
			n.Range.bound(sheet)
			found.marker, found.sheet, found.anchor = n, sheet, n.Range.anchor()
			return found, nil
		}
		if !complete {
			found.elsewhere = true
			return found, nil
		}
	}
	sheet, ok := p.sheetByTitle(r.block.Sheet)
	if id, err := strconv.ParseInt(r.block.SheetID, 10, 64); !ok && err == nil {
		sheet, ok = p.sheetByID(id) // renamed
	}
	if !ok {
		return found, r.faults.noSheet(r.block.Document, r.block.Sheet)
	}
	found.sheet = sheet
	return found, nil
}

// place is the rectangle to read: marker and want, as far as the sheet reaches.
func (f googleFound) place() googlePlace {
	size := f.want
	if f.marker != nil {
		size = checksum.Extent{Rows: max(size.Rows, f.marker.Range.extent().Rows), Columns: max(size.Columns, f.marker.Range.extent().Columns)}
	}
	size.Rows = max(0, min(max(size.Rows, 1), f.sheet.Grid.Rows-f.anchor.Row))
	size.Columns = max(0, min(max(size.Columns, 1), f.sheet.Grid.Columns-f.anchor.Column))
	return googlePlace{sheet: f.sheet.Title, anchor: f.anchor, size: size}
}

// within tells whether what was read holds all there is to read; sheet names compare as the service compares them.
func (f googleFound) within(read googlePlace) bool {
	p := f.place()
	return strings.EqualFold(p.sheet, read.sheet) && p.anchor == read.anchor &&
		p.size.Rows <= read.size.Rows && p.size.Columns <= read.size.Columns
}

func (f googleFound) view(p *googlePage, read googlePlace) View {
	v := View{
		SheetID: strconv.FormatInt(f.sheet.ID, 10), Sheet: f.sheet.Title, Anchor: f.anchor,
		Formulas: p.formulas, Cells: p.grid(max(read.size.Rows, f.want.Rows)),
	}
	if f.marker != nil {
		v.Marked, v.Extent = true, f.marker.Range.extent()
	}
	return v
}

// name finds a named range that marks something.
func (p *googlePage) name(name string) *googleName {
	for i, n := range p.names {
		if strings.EqualFold(n.Name, name) && n.Range != nil {
			return &p.names[i]
		}
	}
	return nil
}

func (p *googlePage) sheetByID(id int64) (googleSheet, bool) {
	for _, s := range p.sheets {
		if s.ID == id {
			return s, true
		}
	}
	return googleSheet{}, false
}

func (p *googlePage) sheetByTitle(title string) (googleSheet, bool) {
	for _, s := range p.sheets {
		if strings.EqualFold(s.Title, title) {
			return s, true
		}
	}
	return googleSheet{}, false
}

// bound gives a range of whole rows or columns its ends.
func (r *googleRange) bound(s googleSheet) {
	if r.EndRow == 0 {
		r.EndRow = s.Grid.Rows
	}
	if r.EndColumn == 0 {
		r.EndColumn = s.Grid.Columns
	}
}
