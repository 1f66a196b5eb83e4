package host

import (
	"context"
	"errors"
	"fmt"
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
		"data(startRow,startColumn,rowData(values(userEnteredValue(formulaValue),effectiveValue))))"
)

// maxGoogleReads bounds the requests for blocks that move again and again while we look for them.
const maxGoogleReads = 6

// Read is Session's. One request does when all blocks stand at their stored addresses; those that moved, or reach beyond their
// sheet's end, take one or two more, however many they are.
func (s *googleSession) Read(ctx context.Context, wanted []Wanted) ([]Found, error) {
	if !s.known {
		s.read = nil
	}
	r := googleReading{googleSession: s, found: make([]Found, len(wanted))}
	for i, w := range wanted {
		at := googlePlace{sheet: w.Block.Sheet, anchor: w.Block.Anchor, size: atLeastOne(w.Extent)}
		r.pending = append(r.pending, googleSought{Wanted: w, into: &r.found[i], at: at})
	}
	for len(r.pending) > 0 {
		if r.calls == maxGoogleReads {
			return nil, s.faults.changed(s.document, nil)
		}
		if err := r.try(ctx); err != nil {
			return nil, err
		}
	}
	if len(r.found) > 0 {
		r.found[0].View.Calls = r.calls
	}
	return r.found, nil
}

// googleReading is one Read in progress.
type googleReading struct {
	*googleSession
	found   []Found
	pending []googleSought
	calls   int
}

// googleSought is a block that was not read yet, and where to look for it next.
type googleSought struct {
	Wanted
	into *Found
	at   googlePlace
}

// try reads where the pending blocks are sought. Those that turn out to stand or to reach elsewhere stay pending.
func (r *googleReading) try(ctx context.Context) error {
	r.calls++
	page, err := r.get(ctx)
	var refused *refusal
	if errors.As(err, &refused) && refused.Status == http.StatusBadRequest {
		// A sheet is not there, or not so large: see what there is.
		return r.survey(ctx, refused)
	}
	if err != nil {
		return r.fault(ctx, r.document, err)
	}
	r.learn(page, false)
	var pending []googleSought
	elsewhere := false
	for _, b := range r.pending {
		data := page.take(b.at)
		found, err := r.locate(page, &b, false)
		switch {
		case err != nil:
			b.into.Err = err
		case found.elsewhere:
			elsewhere = true
			pending = append(pending, b)
		case !found.within(b.at):
			b.at = found.place()
			pending = append(pending, b)
		case data == nil:
			return r.fault(ctx, r.document, fmt.Errorf("answer: no cells of %s", b.at))
		default:
			r.finish(&b, found.view(data, b.at))
		}
	}
	r.pending = pending
	if elsewhere {
		return r.survey(ctx, nil)
	}
	return nil
}

// finish hands over what was read.
func (r *googleReading) finish(b *googleSought, v View) {
	b.into.View = v
	r.read.put(v)
}

// survey looks at names and sheets only. refused is why what was just tried was not read, nil if it was.
func (r *googleReading) survey(ctx context.Context, refused error) error {
	r.calls++
	page, err := r.overview(ctx, r.document)
	if err != nil {
		return err
	}
	r.learn(page, true)
	var pending []googleSought
	same := true // as was refused
	for _, b := range r.pending {
		found, err := r.locate(page, &b, true)
		if err != nil {
			b.into.Err, same = err, false
			continue
		}
		place := found.place()
		same = same && place == b.at
		if place.size.Rows == 0 || place.size.Columns == 0 {
			r.finish(&b, found.view(nil, place))
			continue
		}
		b.at = place
		pending = append(pending, b)
	}
	r.pending = pending
	if same && refused != nil {
		return r.fault(ctx, r.document, refused)
	}
	return nil
}

// overview reads a document's names and all its sheets' sizes.
func (g *Google) overview(ctx context.Context, document string) (*googlePage, error) {
	page, err := g.ask(ctx, document, url.Values{"fields": {googleSurveyFields}})
	return page, g.fault(ctx, document, err)
}

func (r *googleReading) get(ctx context.Context) (*googlePage, error) {
	var ranges []string
	for _, b := range r.pending {
		ranges = append(ranges, b.at.String())
	}
	return r.ask(ctx, r.document, url.Values{"ranges": ranges, "fields": {googleReadFields}})
}

// String is the rectangle in A1 notation.
func (p googlePlace) String() string {
	end := placements.Anchor{Row: p.anchor.Row + p.size.Rows - 1, Column: p.anchor.Column + p.size.Columns - 1}
	return "'" + strings.ReplaceAll(p.sheet, "'", "''") + "'!" + p.anchor.String() + ":" + end.String()
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
	marker    *googleRange // nil when it has none
	doubled   bool         // a copied sheet has a copy of the marker
	anchor    placements.Anchor
	want      checksum.Extent
	elsewhere bool // the marker is on a sheet that the answer did not tell of
}

// locate finds a block by its marker, or else at its stored address. complete says that the answer tells of every
// sheet, so that a marker on none of them is lost.
func (r *googleReading) locate(p *googlePage, b *googleSought, complete bool) (googleFound, error) {
	name := googleMarkerName(b.Block.PlacementID)
	found := googleFound{anchor: b.Block.Anchor, want: b.Extent, doubled: hasGoogleCopy(p.names, name)}
	if n := findGoogleName(p.names, name); n != nil {
		sheet, ok := p.sheetByID(n.Range.SheetID)
		if ok {
			marker := *n.Range
			marker.bound(sheet)
			found.marker, found.sheet, found.anchor = &marker, sheet, marker.anchor()
			return found, nil
		}
		if !complete {
			found.elsewhere = true
			return found, nil
		}
	}
	sheet, ok := p.sheetByTitle(b.Block.Sheet)
	if id, err := strconv.ParseInt(b.Block.SheetID, 10, 64); !ok && err == nil {
		sheet, ok = p.sheetByID(id) // renamed
	}
	if !ok {
		return found, r.faults.noSheet(r.document, b.Block.Sheet)
	}
	found.sheet = sheet
	return found, nil
}

// place is the rectangle to read: marker and want, as far as the sheet reaches.
func (f googleFound) place() googlePlace {
	size := f.want
	if f.marker != nil {
		size = checksum.Extent{Rows: max(size.Rows, f.marker.extent().Rows), Columns: max(size.Columns, f.marker.extent().Columns)}
	}
	size.Rows = max(0, min(max(size.Rows, 1), f.sheet.Grid.Rows-f.anchor.Row))
	size.Columns = max(0, min(max(size.Columns, 1), f.sheet.Grid.Columns-f.anchor.Column))
	return googlePlace{sheet: f.sheet.Title, anchor: f.anchor, size: size}
}

// within reports whether what was read holds all there is to read; sheet names compare as the service compares them.
func (f googleFound) within(read googlePlace) bool {
	p := f.place()
	return strings.EqualFold(p.sheet, read.sheet) && p.anchor == read.anchor &&
		p.size.Rows <= read.size.Rows && p.size.Columns <= read.size.Columns
}

// view is what the cells of a rectangle show; nil data has none.
func (f googleFound) view(data *googleData, read googlePlace) View {
	if data == nil {
		data = &googleData{}
	}
	v := View{
		Doubled: f.doubled, SheetID: strconv.FormatInt(f.sheet.ID, 10), Sheet: f.sheet.Title, Anchor: f.anchor,
		Formulas: data.formulas, Cells: data.grid(max(read.size.Rows, f.want.Rows)),
	}
	if f.marker != nil {
		v.Marked, v.Extent = true, f.marker.extent()
	}
	return v
}

// findGoogleName finds a named range that marks something.
func findGoogleName(names []googleName, name string) *googleName {
	for i, n := range names {
		if strings.EqualFold(n.Name, name) && n.Range != nil {
			return &names[i]
		}
	}
	return nil
}

// hasGoogleCopy reports whether a copied sheet has a copy of a named range, which the service lists as 'Copy of Data'!name.
func hasGoogleCopy(names []googleName, name string) bool {
	for _, n := range names {
		if at := strings.LastIndexByte(n.Name, '!'); at >= 0 && strings.EqualFold(n.Name[at+1:], name) && n.Range != nil {
			return true
		}
	}
	return false
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

// take returns the cells of a rectangle that was asked for, each once: the service answers a sheet's rectangles in the order of the
// request. It is nil when the answer has none.
func (p *googlePage) take(at googlePlace) *googleData {
	for _, d := range p.data {
		if !d.taken && strings.EqualFold(d.sheet, at.sheet) && d.row == at.anchor.Row && d.column == at.anchor.Column {
			d.taken = true
			return d
		}
	}
	return nil
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
