package refresh

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mooring/placements"
	"mooring/refresh/fault"
	"mooring/refresh/plan"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/record/portable"
)

// The bounds of the previews of one plan: each runs a query and opens a spreadsheet.
const (
	maxPreviews = 20
	previewsFor = 20 * time.Second
)

// What is said of placements that are not previewed.
const (
	beyondPreviews = "not previewed: a plan looks at no more than 20 blocks, and for no more than 20 seconds"
	movesElsewhere = "not previewed: the block is to stand elsewhere"
	othersRows     = "not previewed: the query or its values change, and the source would show it the rows of the person who placed the report there"
)

// planPreview is a block whose next write a plan shows, as it will be once the plan is applied.
type planPreview struct {
	asset      int // index among the plan's assets
	report     int64
	definition *record.Definition // after
	held       *placements.Placement
	after      *placements.Placement
}

// previewPlan adds to a plan what the next write does to each block that stands and whose report, or whose placement, the plan changes.
func (s *Bundles) previewPlan(ctx context.Context, d record.Deployment, p *portable.ApplyPlan, w *portable.Writes, by record.Actor) error {
	limited, cancel := context.WithTimeout(ctx, previewsFor)
	defer cancel()
	for i, one := range previews(p, w) {
		words := &p.Assets[one.asset].Preview
		if *words = beyondPreviews; i >= maxPreviews || limited.Err() != nil {
			continue
		}
		message, err := s.previewOf(limited, d, one, by)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		switch {
		case err == nil:
			*words = message
		case limited.Err() == nil:
			*words = fault.Of(err).Message
		}
	}
	return nil
}

// previewOf returns what the next write of a block does, in words.
func (s *Bundles) previewOf(ctx context.Context, d record.Deployment, one planPreview, by record.Actor) (string, error) {
	was, _ := one.held.Address()
	is, _ := one.after.Address()
	if !was.Is(is) || one.held.Host != one.after.Host {
		return movesElsewhere, nil
	}
	stored, err := s.records.Reports().Get(ctx, d, one.report)
	if errors.Is(err, storage.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	placed, ok := stored.Find(one.held.ID)
	if !ok {
		return "", nil
	}
	if one.asksAnew(stored, &placed.Placement) && !placed.PlacedFor(by.ID) && s.tenants.personal(d) {
		return othersRows, nil // a query that no run has recorded must not tell what it finds there
	}
	placed.Parameters, placed.Marks = one.after.Parameters, one.after.Marks
	after := *stored
	after.Definition = *one.definition
	found, err := s.attempts.preview(ctx, d, &after, placed, one.after.Complete(), by)
	switch {
	case err != nil || found.Message != "":
		return found.Message, err
	case found.Rows == 0:
		return "nothing to write", nil
	}
	return fmt.Sprintf("%d %s written, none moved", found.Rows, plan.Plural(found.Rows, "row", "rows")), nil
}

// asksAnew reports whether the source is asked something else of a placement once the plan is applied: another query, or one with other values.
func (p *planPreview) asksAnew(stored *storage.Report, placed *placements.Placement) bool {
	return p.definition.CurrentChecksum != stored.CurrentChecksum || !p.after.Parameters.Equal(placed.Parameters) ||
		!placements.EqualParameters(p.definition.Parameters, stored.Parameters)
}

// previews lists the blocks of a plan that stand and that its writes change: those of placements first, then those of reports whose query
// changes, where the bundle has their placements.
func previews(p *portable.ApplyPlan, w *portable.Writes) (list []planPreview) {
	definitions := map[int64]*record.Definition{}
	for i := range w.Reports {
		if held := w.Reports[i].Held; held != nil {
			definitions[held.ID] = &w.Reports[i].Definition
		}
	}
	seen := map[int]bool{}
	for i := range w.Placements {
		one := &w.Placements[i]
		if one.Action != portable.ActionUpdate || one.From == nil || one.From.PublicID != one.Report {
			continue
		}
		definition := definitions[one.From.ID]
		if definition == nil {
			definition = &one.From.Definition
		}
		seen[one.Asset] = true
		list = append(list, planPreview{one.Asset, one.From.ID, definition, one.Held, &one.Placement})
	}
	for i := range w.Reports {
		list = append(list, reportPreviews(p, &w.Reports[i], seen)...)
	}
	return list
}

// reportPreviews are the placements of a report whose query changes that the bundle has, but for those seen.
func reportPreviews(p *portable.ApplyPlan, w *portable.ReportWrite, seen map[int]bool) (list []planPreview) {
	if w.Held == nil || w.Action == portable.ActionDelete || w.Held.CurrentChecksum == w.Definition.CurrentChecksum {
		return nil
	}
	for i := range w.Held.Placements {
		one := &w.Held.Placements[i]
		at, stands := one.Address()
		for asset := range p.Assets {
			a := &p.Assets[asset]
			same := a.Kind == portable.KindPlacement && a.Report == w.Held.PublicID && a.Ref == portable.PlacementRef(at)
			if stands && same && a.Action != portable.ActionDelete && !seen[asset] {
				list = append(list, planPreview{asset, w.Held.ID, &w.Definition, one, one})
			}
		}
	}
	return list
}
