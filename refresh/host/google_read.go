package host

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
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
		"data(startRow,startColumn,rowData(values(userEnteredValue(formulaValue),effectiveValue,userEnteredFormat(numberFormat(type))))))"
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
	data *googleData // what stands there, read but not yet known to be the block; nil if it was not read
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
		case found.marker == nil && !r.complete:
			// Nobody has verified that a read of ranges lists the names that lie elsewhere.
			b.data, elsewhere = data, true
			pending = append(pending, b)
		case data == nil:
			return r.fault(ctx, r.document, fmt.Errorf("answer: no cells of %s", b.at))
		default:
			r.finish(&b, data, found.view(data, b.at))
		}
	}
	r.pending = pending
	if elsewhere {
		return r.survey(ctx, nil)
	}
	return nil
}

// finish hands over what was read.
func (r *googleReading) finish(b *googleSought, data *googleData, v View) {
	b.into.View = v
	var texts []bool
	if data != nil {
		texts = data.texts
	}
	r.read.put(v, reading{texts: texts})
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
