package portable

import (
	"cmp"
	"slices"

	"mooring/placements"
	"mooring/storage/record"
)

// ManagedAsset is an asset as its project's files could say it: an item of what a pull reads.
type ManagedAsset struct {
	Kind       AssetKind         `json:"kind"`
	Ref        string            `json:"ref"`
	ID         any               `json:"id,omitempty"` // a number, or a placement's text
	Version    int64             `json:"version,omitempty"`
	ManagedBy  *record.ManagedBy `json:"managedBy,omitempty"`
	Definition map[string]any    `json:"definition,omitempty"` // portable, as the server has it now
	Applied    map[string]any    `json:"applied,omitempty"`    // what the project's files said of it at the last apply
	Unsaid     map[string]any    `json:"unsaid,omitempty"`     // what they left out, as that apply left it; none: not known
	Protect    bool              `json:"protect,omitempty"`
	Deleted    *Deletion         `json:"deleted,omitempty"` // by hand, since the project applied it
}

// Managed lists the assets that a project has applied, as held has them, for who may read them: reports, workbooks, placements, schedules,
// each by ref. A placement that a person moved is listed where it stands, and as deleted where it stood. An asset that another project
// manages by now is left out.
func (h *Holdings) Managed(project string, applied map[AssetKey]*Applied, who record.Actor) ([]ManagedAsset, error) {
	l := lister{Holdings: h, project: project, who: who}
	for _, one := range applied {
		if err := l.applied(one); err != nil {
			return nil, err
		}
	}
	return l.sorted(), nil
}

// Unmanaged lists those of held that no project manages, for who may read them, as Managed does.
func (h *Holdings) Unmanaged(who record.Actor) ([]ManagedAsset, error) {
	l := lister{Holdings: h, who: who}
	for _, r := range h.Reports {
		if err := l.report(r, nil); err != nil {
			return nil, err
		}
		for i := range r.Placements {
			if err := l.placement(r, &r.Placements[i], nil); err != nil {
				return nil, err
			}
		}
	}
	for slug, w := range h.Workbooks {
		if err := l.workbook(slug, w, nil); err != nil {
			return nil, err
		}
	}
	for key, c := range h.Schedules {
		if err := l.schedule(key, c, nil); err != nil {
			return nil, err
		}
	}
	return l.sorted(), nil
}

// lister lists assets of a project, or of none where that is empty.
type lister struct {
	*Holdings
	project string
	who     record.Actor
	list    []ManagedAsset
}

func (l *lister) sorted() []ManagedAsset {
	kinds := []AssetKind{KindReport, KindWorkbook, KindPlacement, KindSchedule}
	slices.SortFunc(l.list, func(a, b ManagedAsset) int {
		return cmp.Or(slices.Index(kinds, a.Kind)-slices.Index(kinds, b.Kind), cmp.Compare(a.Ref, b.Ref))
	})
	return l.list
}

// applied lists an asset that the project applied.
func (l *lister) applied(one *Applied) error {
	switch one.Kind {
	case KindReport:
		if r := l.Reports[one.Ref]; r != nil {
			return l.report(r, one)
		}
	case KindWorkbook:
		if w := l.Workbooks[one.Ref]; w != nil {
			return l.workbook(one.Ref, w, one)
		}
	case KindSchedule:
		if c := l.Schedules[one.Ref]; c != nil {
			return l.schedule(one.Ref, c, one)
		}
	case KindPlacement:
		r := l.Reports[one.Report()]
		if r == nil {
			break
		}
		p := r.byID(one.PlacementID)
		if p == nil {
			p = l.find(r, one.address())
		}
		if p == nil {
			break
		}
		if at, _ := p.Recorded(); l.spot(at) != l.spot(one.address()) {
			l.gone(one)
		}
		return l.placement(r, p, one)
	}
	l.gone(one)
	return nil
}

// gone lists an asset that the project applied and that is not there any more, if who could read it.
func (l *lister) gone(one *Applied) {
	if l.onApplied(l.who, one) >= record.MayRead {
		l.list = append(l.list, ManagedAsset{Kind: one.Kind, Ref: one.Ref, Deleted: cmp.Or(one.Deleted, &Deletion{})})
	}
}

// add lists an asset that is there, if it is the project's and who may read it.
func (l *lister) add(a ManagedAsset, one *Applied, may record.Level, definition map[string]any, err error) error {
	if err != nil || may < record.MayRead || manager(a.ManagedBy) != l.project {
		return err
	}
	a.Definition = definition
	if one = l.readable(l.who, one); one != nil {
		a.Applied, a.Unsaid, a.Protect = one.Definition, one.Unsaid, one.Protect
	}
	l.list = append(l.list, a)
	return nil
}

func (l *lister) report(r *HeldReport, one *Applied) error {
	definition, err := OfReport(&r.Definition)
	return l.add(ManagedAsset{Kind: KindReport, Ref: r.PublicID, ID: r.ID, Version: r.Version, ManagedBy: r.ManagedBy},
		one, l.who.Level(&r.Definition), definition, err)
}

func (l *lister) workbook(slug string, w *record.Workbook, one *Applied) error {
	definition, err := OfWorkbook(w, l.PublicIDs)
	return l.add(ManagedAsset{Kind: KindWorkbook, Ref: slug, ID: w.ID, Version: w.Version, ManagedBy: w.ManagedBy},
		one, l.who.OnWorkbook(w.CreatedBy), definition, err)
}

func (l *lister) placement(r *HeldReport, p *placements.Placement, one *Applied) error {
	at, stands := p.Recorded()
	if !stands {
		return nil
	}
	definition, err := OfPlacement(p, r.PublicID)
	return l.add(ManagedAsset{Kind: KindPlacement, Ref: PlacementRef(at), ID: p.ID, ManagedBy: p.ManagedBy},
		one, l.who.Level(&r.Definition), definition, err)
}

func (l *lister) schedule(key string, c *record.Schedule, one *Applied) error {
	report := l.Reports[l.PublicIDs[c.Target.ReportID]]
	if report == nil {
		return nil
	}
	definition, err := OfSchedule(&c.ScheduleSpec, TargetOf(c.Target, report.PublicID, report.Placements))
	if c.PausedReason != "" && definition != nil {
		definition["paused"] = false // by the service, which is no person's wish
	}
	return l.add(ManagedAsset{Kind: KindSchedule, Ref: key, ID: c.ID, Version: c.Version, ManagedBy: c.ManagedBy},
		one, l.who.Level(&report.Definition), definition, err)
}
