package code

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"mooring/placements"
	"mooring/storage/keys"
	"mooring/storage/layout"
	"mooring/storage/list"
	"mooring/storage/record"
	"mooring/storage/record/portable"
	"mooring/storage/redis"
)

// holdings are what a plan is made on, and what its writes need beside.
type holdings struct {
	portable.Holdings
	project   portable.Project
	reports   map[int64]*layout.Report
	workbooks map[int64]string // definitions as stored
	schedules map[int64]string
	names     map[int64]string               // the publicIds that reports were looked up by
	asked     map[string]bool                // the publicIds that were looked up
	keyed     map[string]bool                // the keys that were looked up and that schedules have
	made      map[int64]string               // the keys that were made for schedules without one, as far as they were needed
	sites     map[string]layout.DocumentSite // of documents, by the ids that were looked up
}

func newHoldings() *holdings {
	return &holdings{
		Holdings: portable.Holdings{
			Reports: map[string]*portable.HeldReport{}, Workbooks: map[string]*record.Workbook{}, Schedules: map[string]*record.Schedule{},
			Refused: map[string]*placements.Error{}, PublicIDs: map[int64]string{},
			Whereabouts: map[string]placements.Whereabouts{},
		},
		reports: map[int64]*layout.Report{}, workbooks: map[int64]string{}, schedules: map[int64]string{},
		names: map[int64]string{}, asked: map[string]bool{}, keyed: map[string]bool{}, sites: map[string]layout.DocumentSite{},
	}
}

// loadWanted reads the assets that a bundle names or its project has applied, and the reports that they name.
func (s *Plans) loadWanted(
	ctx context.Context, k keys.DeploymentKeys, b *portable.Bundle, applied map[portable.AssetKey]*portable.Applied,
) (*holdings, error) {
	h := newHoldings()
	ids, err := s.lookUp(ctx, k, h, b.Wanted(applied), b.Adopt)
	if err != nil {
		return nil, err
	}
	if err := s.addKeyless(ctx, k, h, b, applied, &ids); err != nil {
		return nil, err
	}
	named, err := s.loadNaming(ctx, k, h, ids)
	if err != nil {
		return nil, err
	}
	if err := s.loadReports(ctx, k, h, append(ids.reports, named...)); err != nil {
		return nil, err
	}
	b.LeaveOthers(&h.Holdings)
	return h, nil
}

// addKeyless adds the schedules without a key that the bundle may mean by a key that none has and that the project never applied.
func (s *Plans) addKeyless(
	ctx context.Context, k keys.DeploymentKeys, h *holdings, b *portable.Bundle, applied map[portable.AssetKey]*portable.Applied, ids *found,
) error {
	wanted := b.NewKeys(applied)
	if wanted = slices.DeleteFunc(wanted, func(key string) bool { return h.keyed[key] }); len(wanted) == 0 {
		return nil
	}
	all, err := s.allIDs(ctx, k)
	if err != nil {
		return err
	}
	if err := s.makeKeys(ctx, k, h, all.schedules); err != nil {
		return err
	}
	for id, key := range h.made {
		if slices.Contains(wanted, key) {
			ids.schedules = append(ids.schedules, id)
		}
	}
	return nil
}

// makeKeys notes the keys under which the schedules without one are listed.
func (s *Plans) makeKeys(ctx context.Context, k keys.DeploymentKeys, h *holdings, ids []int64) error {
	var all []*record.Schedule
	for chunk := range slices.Chunk(ids, list.Chunk) {
		some, err := layout.ReadableSchedules(ctx, s.db, k, chunk)
		if err != nil {
			return err
		}
		all = append(all, some...)
	}
	h.made = portable.MadeKeys(all)
	return nil
}

// found are the ids that names lead to.
type found struct{ reports, workbooks, schedules []int64 }

// lookUp finds the ids of what is wanted, and notes which publicIds cannot be had.
func (s *Plans) lookUp(ctx context.Context, k keys.DeploymentKeys, h *holdings, w portable.Wanted, adopt []string) (ids found, err error) {
	p := s.db.Redis.Pipeline()
	index := func(key string, names []string) *redis.SliceCmd {
		if len(names) == 0 {
			return nil
		}
		return p.HMGet(ctx, key, names...)
	}
	owners, slugs, keys := index(k.PublicIDs(), w.PublicIDs), index(k.Slugs(), w.Slugs), index(k.ScheduleKeys(), w.Keys)
	documents := make([]string, len(w.Documents))
	for i, document := range w.Documents {
		documents[i] = placements.LinkID(document)
	}
	sites := index(k.Sites(), documents)
	shown := make([]*redis.StringSliceCmd, len(w.PublicIDs))
	for i, publicID := range w.PublicIDs {
		shown[i] = p.SMembers(ctx, k.Synthesized(publicID))
	}
	if _, err := p.Exec(ctx); err != nil {
		return ids, redis.Unavailable(err)
	}
	for i, document := range w.Documents {
		if err := h.locate(document, redis.Text(sites.Val()[i])); err != nil {
			return ids, err
		}
	}
	ids.workbooks, ids.schedules = ownedOf(k, slugs), ownedOf(k, keys)
	for i, key := range w.Keys {
		h.keyed[key] = keys.Val()[i] != nil
	}
	for i, publicID := range w.PublicIDs {
		h.asked[publicID] = true
		owner, _ := owners.Val()[i].(string)
		id, refused := showing(k, publicID, owner, shown[i].Val(), adopt)
		other := h.names[id]
		switch {
		case refused != nil:
			h.Refused[publicID] = refused
		case other != "":
			h.Refused[publicID] = placements.Errorf(placements.CodeAmbiguous,
				"The publicIds %s and %s mean the same report: name it by one of them.", other, publicID)
		case id != 0:
			h.names[id] = publicID
			ids.reports = append(ids.reports, id)
		}
	}
	return ids, nil
}

// locate notes where a document is.
func (h *holdings) locate(document, text string) error {
	at, err := layout.ReadSite(document, text)
	if h.sites[document] = at; at.Document != "" {
		h.Whereabouts[document] = at.Whereabouts
	}
	return err
}

// ownedOf are the ids in entries of an index; nil is none.
func ownedOf(k keys.DeploymentKeys, entries *redis.SliceCmd) (ids []int64) {
	if entries == nil {
		return nil
	}
	for _, entry := range entries.Val() {
		text, _ := entry.(string)
		if id, here := k.Owned(text); here {
			ids = append(ids, id)
		}
	}
	return ids
}

// showing is the report that a publicId means: the one that stores it, else the one that shows it, else the one that it was made for; 0 for
// none.
func showing(k keys.DeploymentKeys, publicID, owner string, shown, adopt []string) (int64, *placements.Error) {
	if owner != "" {
		id, here := k.Owned(owner)
		if !here {
			refused, _ := errors.AsType[*placements.Error](layout.PublicIDTaken(k, owner, publicID))
			return 0, refused
		}
		return id, nil
	}
	if len(shown) > 1 {
		shown = slices.DeleteFunc(shown, func(id string) bool { return !slices.Contains(adopt, "report:#"+id) })
		if len(shown) != 1 {
			refused, _ := errors.AsType[*placements.Error](layout.Ambiguous(publicID))
			return 0, refused
		}
	}
	if len(shown) == 0 {
		return record.FreshIDOf(k.At(), publicID), nil
	}
	id, err := layout.ParseID(shown[0])
	if err != nil {
		return 0, placements.Errorf(placements.CodeInternal, "The report cannot be read.").Because(err)
	}
	return id, nil
}

// loadNaming reads workbooks and schedules, and returns the ids of the reports that they name.
func (s *Plans) loadNaming(ctx context.Context, k keys.DeploymentKeys, h *holdings, ids found) (reports []int64, err error) {
	err = list.Each(ctx, s.db.Redis, ids.workbooks, k.Workbook, func(id int64, hash map[string]string) error {
		w, err := layout.ReadWorkbook(k, id, hash)
		if err != nil {
			return err
		}
		h.Workbooks[w.Slug], h.workbooks[id] = w, hash[layout.FieldDefinition]
		reports = append(reports, portable.ChartReports(w.DashboardDraft)...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = list.Each(ctx, s.db.Redis, ids.schedules, k.Schedule, func(id int64, hash map[string]string) error {
		c, err := layout.ReadSchedule(k, id, hash)
		if err != nil {
			return err
		}
		h.Schedules[cmp.Or(c.Key, h.made[id])], h.schedules[id] = c, hash[layout.FieldSpec]
		reports = append(reports, c.Target.ReportID)
		return nil
	})
	return reports, err
}

// loadReports reads reports with their placements.
func (s *Plans) loadReports(ctx context.Context, k keys.DeploymentKeys, h *holdings, ids []int64) error {
	ids = distinct(ids)
	placed := make(map[int64]map[string]string, len(ids))
	err := list.Each(ctx, s.db.Redis, ids, k.Placements, func(id int64, hash map[string]string) error {
		placed[id] = hash
		return nil
	})
	if err != nil {
		return err
	}
	var reports []*layout.Report
	err = list.Each(ctx, s.db.Redis, ids, k.Report, func(id int64, hash map[string]string) error {
		r, err := s.reader.Report(k, id, hash, placed[id])
		reports = append(reports, r)
		return err
	})
	if err != nil {
		return err
	}
	if err := s.nameReports(ctx, k, h, reports); err != nil {
		return err
	}
	for _, r := range reports {
		h.hold(r)
	}
	return nil
}

// nameReports decides by which publicId a plan names each report without a stored one: by what it was looked up by, else by what it shows
// if that means no other report, else by one that is made for it.
func (s *Plans) nameReports(ctx context.Context, k keys.DeploymentKeys, h *holdings, reports []*layout.Report) error {
	p := s.db.Redis.Pipeline()
	owners, shown := map[*layout.Report]*redis.StringCmd{}, map[*layout.Report]*redis.IntCmd{}
	for _, r := range reports {
		switch {
		case r.StoredPublicID != "" || h.names[r.ID] != "":
		case h.asked[r.PublicID] && !h.named(r.PublicID):
			h.names[r.ID] = r.PublicID // which a dashboard names already
		default:
			owners[r], shown[r] = p.HGet(ctx, k.PublicIDs(), r.PublicID), p.SCard(ctx, k.Synthesized(r.PublicID))
		}
	}
	if len(owners) == 0 {
		return nil
	}
	if _, err := p.Exec(ctx); err != nil && !errors.Is(err, redis.Nil) {
		return redis.Unavailable(err)
	}
	for r, owner := range owners {
		h.names[r.ID] = r.PublicID
		if owner.Val() != "" || shown[r].Val() > 1 {
			h.names[r.ID] = record.FreshID(k.At(), r.ID)
		}
	}
	return nil
}

// named reports whether a report has that publicId for a name already.
func (h *holdings) named(publicID string) bool {
	for _, name := range h.names {
		if name == publicID {
			return true
		}
	}
	return false
}

// hold adds a report under its name.
func (h *holdings) hold(r *layout.Report) {
	name := h.names[r.ID]
	if r.StoredPublicID != "" {
		if name != "" && name != r.PublicID {
			h.Refused[name] = placements.Errorf(placements.CodePublicIDTaken,
				"It was made for report #%d, which has the publicId %s by now: name it by that.", r.ID, r.PublicID)
		}
		name = r.PublicID
	}
	h.reports[r.ID], h.PublicIDs[r.ID] = r, name
	h.Reports[name] = &portable.HeldReport{
		ID: r.ID, PublicID: name, Stored: r.StoredPublicID != "", Definition: r.Definition, ManagedBy: r.ManagedBy,
		Placements: r.Places(),
	}
}

// distinct are the ids in their order, each once.
func distinct(ids []int64) (once []int64) {
	seen := make(map[int64]bool, len(ids))
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			once = append(once, id)
		}
	}
	return once
}

// deletable are the publicIds of the reports that a project applied and its bundle no longer has.
func deletable(b *portable.Bundle, applied map[portable.AssetKey]*portable.Applied) map[string]bool {
	gone := map[string]bool{}
	for _, a := range applied {
		if a.Kind == portable.KindReport {
			gone[a.Ref] = true
		}
	}
	for i := range b.Assets {
		if a := &b.Assets[i]; a.Kind() == portable.KindReport {
			delete(gone, a.Ref)
		}
	}
	return gone
}

// loadUses finds what depends on reports that may be deleted.
func (s *Plans) loadUses(ctx context.Context, k keys.DeploymentKeys, h *holdings, publicIDs map[string]bool) error {
	uses := map[int64]*portable.HeldReport{}
	for publicID := range publicIDs {
		if r := h.Reports[publicID]; r != nil {
			uses[r.ID] = r
		}
	}
	if len(uses) == 0 {
		return nil
	}
	use := func(report int64, u portable.Use) {
		if r := uses[report]; r != nil && !slices.Contains(r.Uses, u) {
			r.Uses = append(r.Uses, u)
		}
	}
	all := func(*record.Workbook) bool { return true }
	for one, err := range layout.WalkWorkbooks(ctx, s.db, k.At(), record.ListQuery{Meta: true}, all) {
		if err != nil {
			return err
		}
		for _, report := range portable.ChartReports(one.Asset.DashboardDraft) {
			use(report, portable.Use{Kind: portable.KindWorkbook, ID: one.Asset.ID})
		}
		for _, report := range portable.ChartReports(one.Asset.DashboardPublished) {
			use(report, portable.Use{Kind: portable.KindWorkbook, ID: one.Asset.ID, Published: true})
		}
	}
	schedules, err := layout.SchedulesOf(ctx, s.db, k, slices.Collect(maps.Keys(uses))...)
	for _, c := range schedules {
		use(c.Target.ReportID, portable.Use{Kind: portable.KindSchedule, ID: c.ID})
	}
	return err
}
