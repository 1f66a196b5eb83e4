package refresh

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/document"
	"mooring/refresh/fault"
	"mooring/refresh/host"
	"mooring/refresh/result"
	"mooring/refresh/site"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/record/portable"
	"mooring/storage/work"
)

// headings finds how the headings of reports' blocks change with their queries.
type headings struct {
	queue *work.Work
	sites *site.Locator
	calls *fault.Calls
	log   *slog.Logger
}

// lastHeadings is a placement and the headings that its last run left there.
type lastHeadings struct {
	Placement storage.Placed
	Columns   []string // nil where no run wrote the block, or an add-in wrote it since

	where  host.Block
	extent checksum.Extent // that the last run left
}

// last returns those of the report's placements, in their order, without those that are gone meanwhile.
func (s *headings) last(ctx context.Context, d record.Deployment, r *storage.Report) ([]lastHeadings, error) {
	queries := make([]work.BlockQuery, len(r.Placements))
	for i, p := range r.Placements {
		queries[i] = work.BlockQuery{Deployment: d, ReportID: r.ID, Known: p}
	}
	blocks, err := s.queue.Blocks(ctx, d.Tenant, queries)
	if err != nil {
		return nil, err
	}
	var list []lastHeadings
	for _, b := range blocks {
		if !b.Found {
			continue
		}
		one, err := headingsOf(b, s.sites.Of(d.Tenant, b.Placed.Placement).ID)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

func headingsOf(b work.Block, id string) (lastHeadings, error) {
	h := lastHeadings{Placement: b.Placed}
	last, err := document.Completed(b.Placed.Placement, b.Rows)
	if err != nil || last == nil {
		return h, err
	}
	a, _ := b.Placed.Address()
	h.where = host.Block{Document: id, PlacementID: b.Placed.ID, SheetID: b.Placed.SheetID, Sheet: a.Sheet, Anchor: a.Anchor}
	h.Columns, h.extent = result.Headings(last.Header), last.Extent()
	return h, nil
}

// columnChanges is how the headings of a report's table will differ from those that its placements show.
type columnChanges struct {
	Appear []string // no placement shows them
	Vanish []vanished
}

// vanished is a heading that the table will not have any more.
type vanished struct {
	Name       string
	Placements []storage.Placed // that show it
	// Formulas are the first host.MaxReferences cells whose formulas refer to the column, each as board.xlsx/Sheet2!C4: of the
	// documents that agents may open, whose hosts can tell, and that could be read in time.
	Formulas []string
}

// traceLimit is how long formulas are looked for.
const traceLimit = 10 * time.Second

// changes compares the headings that a report's table will have with those that its placements show. Nothing is known of a report
// that no run has written, and nothing changes then.
func (s *headings) changes(ctx context.Context, d record.Deployment, r *storage.Report, columns []string) (columnChanges, error) {
	list, err := s.last(ctx, d, r)
	if err != nil {
		return columnChanges{}, err
	}
	list = slices.DeleteFunc(list, func(h lastHeadings) bool { return h.Columns == nil })
	changes := compareHeadings(list, columns)
	if len(changes.Vanish) == 0 {
		return changes, nil
	}
	ctx, cancel := context.WithTimeout(ctx, traceLimit)
	defer cancel()
	for _, h := range list {
		if ctx.Err() != nil {
			break
		}
		if s.queue.Sites.Bounded(d, h.Placement.Placement) != nil || !s.sites.MayOpen(d, h.Placement.Placement) {
			continue
		}
		found, err := s.references(ctx, d.Tenant, h, changes.Vanish)
		if err != nil {
			s.log.Warn("formulas that refer to a placement are not known", "tenant", d.Tenant, "document", h.where.Document, "error", err)
			continue
		}
		for i, cells := range found {
			v := &changes.Vanish[i]
			v.Formulas = append(v.Formulas, cells...)
			v.Formulas = v.Formulas[:min(len(v.Formulas), host.MaxReferences)]
		}
	}
	return changes, nil
}

// diff returns the changes as plans and previews show them; nil without any.
func (s *headings) diff(ctx context.Context, d record.Deployment, r *storage.Report, columns []string) (*portable.ColumnDiff, error) {
	found, err := s.changes(ctx, d, r, columns)
	if err != nil || len(found.Appear)+len(found.Vanish) == 0 {
		return nil, err
	}
	c := &portable.ColumnDiff{Appear: found.Appear}
	for _, v := range found.Vanish {
		one := portable.ColumnVanish{Name: v.Name, Formulas: v.Formulas}
		for i := range v.Placements {
			if at, ok := v.Placements[i].Address(); ok {
				one.Placements = append(one.Placements, portable.PlacementRef(at))
			}
		}
		c.Vanish = append(c.Vanish, one)
	}
	return c, nil
}

// compareHeadings finds what appears and what vanishes, without the formulas.
func compareHeadings(list []lastHeadings, columns []string) (changes columnChanges) {
	var shown []string
	for _, h := range list {
		for i, name := range h.Columns {
			if name == "" || slices.Contains(columns, name) || slices.Contains(h.Columns[:i], name) {
				continue
			}
			at := slices.IndexFunc(changes.Vanish, func(v vanished) bool { return v.Name == name })
			if at < 0 {
				at = len(changes.Vanish)
				changes.Vanish = append(changes.Vanish, vanished{Name: name})
			}
			changes.Vanish[at].Placements = append(changes.Vanish[at].Placements, h.Placement)
		}
		shown = append(shown, h.Columns...)
	}
	for _, name := range columns {
		if len(list) > 0 && !slices.Contains(shown, name) && !slices.Contains(changes.Appear, name) {
			changes.Appear = append(changes.Appear, name)
		}
	}
	return changes
}

// references returns, for each of the names, the cells whose formulas refer to the columns of h with that name. There are none where the
// host cannot tell. A panic of the host is an error.
func (s *headings) references(ctx context.Context, tenant string, h lastHeadings, names []vanished) (cells [][]string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("references panicked: %v", p)
		}
	}()
	ref := s.sites.Of(tenant, h.Placement.Placement)
	if ref.Host == nil {
		return nil, nil
	}
	referrer, ok := ref.Host.Driver.(host.Referrer)
	if !ok {
		return nil, nil
	}
	var columns, of []int // columns of the block, and the name of each
	for i, name := range h.Columns {
		if at := slices.IndexFunc(names, func(v vanished) bool { return v.Name == name }); at >= 0 {
			columns, of = append(columns, i), append(of, at)
		}
	}
	if len(columns) == 0 {
		return nil, nil
	}
	found, err := fault.Call(ctx, s.calls, ref.Subject(), func() ([][]placements.Location, error) {
		return referrer.References(ctx, h.where, h.extent, columns)
	})
	cells = make([][]string, len(names))
	for i, list := range found {
		for _, l := range list {
			cells[of[i]] = append(cells[of[i]], shownCell(h.where.Document, l))
		}
	}
	return cells, err
}

// shownCell is a cell of a document as people read it.
func shownCell(document string, l placements.Location) string { return document + "/" + l.String() }
