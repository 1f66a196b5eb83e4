package google

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"mooring/refresh/host"
	"mooring/refresh/host/rest"
)

const (
	metadataFields = "developerMetadata(metadataId,metadataKey,metadataValue),"
	surveyFields   = metadataFields + "namedRanges(namedRangeId,name,range),sheets(properties(sheetId,title,gridProperties(rowCount,columnCount)))"
	readFields     = metadataFields + "namedRanges(namedRangeId,name,range),sheets(properties(sheetId,title,gridProperties(rowCount,columnCount))," +
		"data(startRow,startColumn,rowMetadata(hiddenByUser,hiddenByFilter),rowData(values(userEnteredValue(formulaValue),effectiveValue,userEnteredFormat(numberFormat(type))))))"
)

// maxGoogleReads bounds the requests for blocks that move again and again while we look for them.
const maxGoogleReads = 6

// Read is Session's. One request does when all blocks stand at their stored addresses; those that moved, or reach beyond their
// sheet's end, take one or two more, however many they are.
func (s *session) Read(ctx context.Context, wanted []host.Wanted) ([]host.Found, error) {
	found, _, err := s.readAll(ctx, wanted, nil)
	return found, err
}

// readAll reads blocks and cells of parameters, and returns how many requests that took.
func (s *session) readAll(ctx context.Context, wanted []host.Wanted, parameters []*soughtParameter) (_ []host.Found, calls int, err error) {
	if !s.known {
		s.read = nil
	}
	r := reading{session: s, found: make([]host.Found, len(wanted)), parameters: parameters}
	for i, w := range wanted {
		at := place{sheet: w.Block.Sheet, anchor: w.Block.Anchor, size: rest.AtLeastOne(w.Extent)}
		r.pending = append(r.pending, sought{Wanted: w, into: &r.found[i], at: at})
	}
	for r.seeks() {
		if r.calls == maxGoogleReads {
			return nil, 0, s.faults.Changed(s.document, nil)
		}
		if err := r.try(ctx); err != nil {
			return nil, 0, err
		}
	}
	if len(r.found) > 0 {
		r.found[0].View.Calls = r.calls
	}
	return r.found, r.calls, nil
}

// reading is one Read in progress.
type reading struct {
	*session
	found   []host.Found
	pending []sought
	calls   int

	parameters []*soughtParameter
}

// seeks reports whether something is not read yet.
func (r *reading) seeks() bool {
	return len(r.pending) > 0 || slices.ContainsFunc(r.parameters, func(p *soughtParameter) bool { return p.pending })
}

// sought is a block that was not read yet, and where to look for it next.
type sought struct {
	host.Wanted
	into *host.Found
	at   place
	data *gridData // what stands there, read but not yet known to be the block; nil if it was not read
}

// try reads where the pending blocks are sought. Those that turn out to stand or to reach elsewhere stay pending.
func (r *reading) try(ctx context.Context) error {
	r.calls++
	page, err := r.get(ctx)
	var refused *rest.Refusal
	if errors.As(err, &refused) && refused.Status == http.StatusBadRequest {
		// A sheet is not there, or not so large: see what there is.
		return r.survey(ctx, refused)
	}
	if err != nil {
		return r.fault(ctx, r.document, err)
	}
	r.learn(page, false)
	var pending []sought
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
		case found.marker == nil && !r.complete:
			// It is not verified that a read of ranges lists the names that lie elsewhere.
			b.data, elsewhere = data, true
			pending = append(pending, b)
		case data == nil:
			return r.fault(ctx, r.document, fmt.Errorf("answer: no cells of %s", b.at))
		default:
			r.finish(&b, data, found.view(data, b.at))
		}
	}
	r.pending = pending
	if r.takeParameters(page) || elsewhere {
		return r.survey(ctx, nil)
	}
	return nil
}

// finish hands over what was read.
func (r *reading) finish(b *sought, data *gridData, v host.View) {
	b.into.View = v
	reading := rest.Reading{Size: b.at.size}
	if data != nil {
		reading.Texts = data.texts
		reading.Hiding.Add(data.hiding, v.Anchor.Row)
	}
	r.read.Put(v, reading)
}

// survey looks at names and sheets only. refused is why what was just tried was not read, nil if it was.
func (r *reading) survey(ctx context.Context, refused error) error {
	r.calls++
	page, err := r.overview(ctx, r.document)
	if err != nil {
		return err
	}
	r.learn(page, true)
	var pending []sought
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
			r.finish(&b, nil, found.view(nil, place))
			continue
		}
		if b.data != nil && found.within(b.at) {
			r.finish(&b, b.data, found.view(b.data, b.at))
			continue
		}
		b.data = nil
		b.at = place
		pending = append(pending, b)
	}
	r.pending = pending
	same = !r.surveyParameters() && same
	if same && refused != nil {
		return r.fault(ctx, r.document, refused)
	}
	return nil
}

// overview reads a document's names and all its sheets' sizes.
func (g *Sheets) overview(ctx context.Context, document string) (*page, error) {
	page, err := g.ask(ctx, document, url.Values{"fields": {surveyFields}})
	return page, g.fault(ctx, document, err)
}

func (r *reading) get(ctx context.Context) (*page, error) {
	var ranges []string
	for _, b := range r.pending {
		ranges = append(ranges, b.at.String())
	}
	fields := readFields
	for _, p := range r.parameters {
		if p.pending {
			ranges = append(ranges, p.ask())
			fields = parameterFields
		}
	}
	return r.ask(ctx, r.document, url.Values{"ranges": ranges, "fields": {fields}})
}

func (g *Sheets) ask(ctx context.Context, document string, query url.Values) (*page, error) {
	if err := rest.TakeQuota(ctx, g.limiter, g.faults, g.reads, 1); err != nil {
		return nil, err
	}
	body, err := g.rest.Do(ctx, rest.Call{Method: http.MethodGet, Path: g.path(document), Query: query})
	if err != nil {
		return nil, err
	}
	defer body.Close()
	return decodeGooglePage(body)
}

// locate finds a block by its marker, or else at its stored address. complete says that the answer holds every
// sheet, so that a marker on none of them is lost.
func (r *reading) locate(p *page, b *sought, complete bool) (found, error) {
	name := markerName(b.Block.PlacementID)
	found := found{anchor: b.Block.Anchor, want: b.Extent, doubled: hasGoogleCopy(r.names, name)}
	if m, ok := r.stamp(b.Block.PlacementID); ok {
		found.stamp = m.Value
	}
	if n := findGoogleName(r.names, name); n != nil {
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
		return found, r.faults.NoSheet(r.document, b.Block.Sheet)
	}
	if !sheet.isGrid() {
		return found, r.faults.NoCells(r.document, sheet.Title)
	}
	found.sheet = sheet
	return found, nil
}
