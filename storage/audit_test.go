package storage_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/journal"
	"mooring/storage/record"
)

// entries are all of a deployment's audit, the oldest first.
func entries(t *testing.T, s *storage.Store, f journal.Filter) (list []journal.Entry) {
	t.Helper()
	for after := ""; ; {
		page, err := s.Journal().Entries(t.Context(), shop, f, after, 7)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, page.Entries...)
		if after = page.End; !page.HasNextPage {
			slices.Reverse(list)
			return list
		}
	}
}

// assets are what the audit is about, as it is stored: by kind and id, a text that differs after every effective write of the asset.
func assets(t *testing.T, s *storage.Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	for one, err := range s.Reports().List(t.Context(), shop, record.ListQuery{Meta: true}, everyReport) {
		if err != nil || one.Err != nil {
			t.Fatal(err, one.Err)
		}
		r := one.Asset
		all["report:"+strconv.FormatInt(r.ID, 10)] = fmt.Sprint(r.Version, r.StoredPublicID, r.ManagedBy)
		for _, p := range r.Places() {
			all["placement:"+p.ID] = fmt.Sprint(p.WorkbookID, p.SheetName, p.AnchorCell, p.Host, p.OnEdit.OrZero(), p.RunAs.UID, p.ManagedBy)
		}
	}
	for one, err := range s.Workbooks().List(t.Context(), shop, record.ListQuery{Meta: true}, func(*record.Workbook) bool { return true }) {
		if err != nil || one.Err != nil {
			t.Fatal(err, one.Err)
		}
		all["workbook:"+strconv.FormatInt(one.Asset.ID, 10)] = fmt.Sprint(one.Asset.Version, one.Asset.ManagedBy)
	}
	schedules, err := s.Schedules().List(t.Context(), shop, record.ListQuery{First: 500}, func(*record.Schedule) (bool, error) { return true, nil })
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range schedules.Items {
		all["schedule:"+strconv.FormatInt(c.ID, 10)] = fmt.Sprint(c.Version, c.ManagedBy)
	}
	return all
}

// written says of each asset that differs what was done to it: that it is new, changed or gone. Placements go with their report.
func written(before, after map[string]string, deleted bool) map[string]string {
	did := map[string]string{}
	for name, text := range after {
		if was, there := before[name]; !there {
			did[name] = "new"
		} else if was != text {
			did[name] = "changed"
		}
	}
	for name := range before {
		if _, there := after[name]; !there && !(deleted && strings.HasPrefix(name, "placement:")) {
			did[name] = "gone"
		}
	}
	return did
}

// noted says the same of entries, each of another asset.
func noted(t *testing.T, list []journal.Entry) map[string]string {
	t.Helper()
	did := map[string]string{}
	for _, e := range list {
		name := string(e.Asset.Kind) + ":" + e.Asset.ID
		if did[name] != "" {
			t.Errorf("%s has two entries of one write: %+v", name, list)
		}
		_, verb, _ := strings.Cut(e.Action, ".")
		switch verb {
		case journal.Create, journal.Connect:
			did[name] = "new"
		case journal.Delete, journal.Disconnect:
			did[name] = "gone"
		default:
			did[name] = "changed"
		}
		if e.User == nil || e.At == "" || e.Asset.Name == "" && e.Asset.Kind != journal.Schedule {
			t.Errorf("an entry lacks something: %+v", e)
		}
	}
	return did
}

// randomClient does this and that to a few assets, often to no effect.
type randomClient struct {
	*rand.Rand
	s   *storage.Store
	ctx context.Context
	t   *testing.T
}

func (c *randomClient) pick(texts ...string) string { return texts[c.IntN(len(texts))] }

func (c *randomClient) report() int64 { return int64(c.IntN(4) + 1) }

func (c *randomClient) who() record.Actor {
	if c.IntN(3) == 0 {
		return record.Actor{ID: 8, Email: "bob@example.com", Actions: []string{record.ActionAll}}
	}
	return record.Actor{ID: 7, Email: "ada@example.com", Name: "Ada", Actions: []string{record.ActionAll}}
}

func (c *randomClient) allow() error {
	if c.IntN(8) == 0 {
		return errDenied
	}
	return nil
}

func (c *randomClient) body() record.ReportInput {
	in := named(c.pick("Sales", "Costs"), c.pick("select 1", "select 2"))
	switch c.IntN(5) {
	case 0:
		in.Meta = raw(c.pick(`{"a":1}`, `{"a":2}`, `{}`))
	case 1:
		in.ExternalWorkbookID, in.ResultLocation = placements.Sent("book"), placements.Sent(c.pick("S!A1", "S!F1"))
	}
	return in
}

// act makes one write, or tries to. deleted reports that it was to delete a report.
func (c *randomClient) act() (deleted bool, err error) {
	allow := func(*storage.Report) error { return c.allow() }
	anyBook := func(*record.Workbook) error { return c.allow() }
	switch c.IntN(14) {
	case 0:
		_, err = c.s.Reports().Create(c.ctx, shop, c.body(), c.who())
	case 1, 2:
		_, err = c.s.Reports().Upsert(c.ctx, shop, c.pick(chosen, another), c.body(), c.who(), allow)
	case 3:
		in := c.body()
		if c.IntN(4) == 0 {
			in.PublicID = placements.Sent(c.pick(chosen, another))
		}
		_, err = c.s.Reports().Update(c.ctx, shop, c.report(), in, c.who(), allow)
	case 4:
		roles := []record.RoleAccess{{ID: int64(c.IntN(2) + 1), Name: "R", Actions: []string{"ReportRead"}}}
		_, err = c.s.Reports().UpdateAccess(c.ctx, shop, c.report(), roles, c.who(), allow)
	case 5:
		return true, c.s.Reports().Delete(c.ctx, shop, c.report(), c.who(), allow)
	case 6, 7:
		err = c.connect()
	case 8:
		target := placements.Target{ExternalWorkbookID: "doc", SheetName: "S", AnchorCell: c.pick("A1", "F1", "K1")}
		_, _, err = c.s.Placements().Disconnect(c.ctx, shop, c.report(), target, c.who(), nil, true)
	case 9:
		rewrite := placements.Rewrite{Target: placements.Target{ExternalWorkbookID: "doc", SheetName: "S", AnchorCell: "A1"}}
		_, err = c.s.Placements().RecordRefresh(c.ctx, shop, c.report(), rewrite, c.who(), nil)
	case 10, 11:
		err = c.onWorkbook(anyBook)
	case 12:
		err = c.onSchedule()
	case 13:
		err = c.apply()
	}
	return false, err
}

func (c *randomClient) connect() error {
	at := placements.Connection{
		ExternalWorkbookID: "doc", ResultLocation: "S!" + c.pick("A1", "F1", "K1"), AddressOnly: c.IntN(2) == 0,
		PlacementID: c.pick("", "", "p1", "p2"),
	}
	if c.IntN(4) == 0 {
		at.OnEdit = placements.Sent(placements.OnEdit(c.pick("keep", "stop")))
	}
	_, err := c.s.Placements().Connect(c.ctx, shop, c.report(), at, c.who(), nil, c.IntN(2) == 0)
	return err
}

func (c *randomClient) onWorkbook(allow func(*record.Workbook) error) (err error) {
	id := int64(c.IntN(3) + 1)
	switch in := book(c.pick("B", "C"), `{"dashboardDraft":{"title":"`+c.pick("x", "y")+`"}}`); c.IntN(5) {
	case 0:
		_, err = c.s.Workbooks().Upsert(c.ctx, shop, c.pick("one", "two"), in, c.who(), allow)
	case 1:
		_, err = c.s.Workbooks().Update(c.ctx, shop, id, in, c.who(), allow)
	case 2:
		_, err = c.s.Workbooks().UpdateDashboard(c.ctx, shop, id, json.RawMessage(`{"title":"`+c.pick("x", "z")+`"}`), c.who(), allow)
	case 3:
		_, err = c.s.Workbooks().Publish(c.ctx, shop, id, c.who(), allow)
	case 4:
		err = c.s.Workbooks().Delete(c.ctx, shop, id, c.who(), allow)
	}
	return err
}

func (c *randomClient) onSchedule() (err error) {
	id := int64(c.IntN(3) + 1)
	switch c.IntN(4) {
	case 0:
		spec := record.ScheduleSpec{Target: record.RunTarget{ReportID: c.report()}, Cron: []string{"@daily"}}
		_, err = c.s.Schedules().Create(c.ctx, shop, spec, c.who(), func(int64) record.Tick { return record.Tick{} })
	case 1, 2:
		_, err = c.s.Schedules().Update(c.ctx, shop, id, c.who(), func(one *record.Schedule) (record.Tick, error) {
			one.Paused, one.Name = c.IntN(2) == 0, c.pick("", "", "daily")
			return record.Tick{}, c.allow()
		})
	case 3:
		err = c.s.Schedules().Delete(c.ctx, shop, id, c.who(), func(*record.Schedule) error { return c.allow() })
	}
	return err
}

// apply applies one of two bundles, whose names the other writes do not know.
func (c *randomClient) apply() error {
	b := project(c.t, sales, board, placement, daily)
	if c.IntN(2) == 0 {
		b = project(c.t, salesTwo, board, placement)
	}
	p, _, err := c.s.Plans().Make(c.ctx, shop, b, pipeline, "UTC")
	if err == nil {
		err = c.s.Plans().Keep(c.ctx, shop, p, b, pipeline)
	}
	if err == nil {
		_, err = c.s.Plans().Apply(c.ctx, shop, p.ID, pipeline, "UTC", noTick)
	}
	return err
}

// Whatever a client does, the audit has exactly one entry for each asset that a write changed, and nothing for what it did not change.
func TestTheAuditIsTheHistoryOfEffectiveWrites(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		seed := uint64(time.Now().UnixNano())
		c := &randomClient{rand.New(rand.NewPCG(seed, 0)), s, t.Context(), t}
		before, seen, effective := assets(t, s), 0, 0
		for n := range 150 {
			if c.IntN(5) == 0 { // as another instance, which remembers nothing
				s.ForgetPlacements()
				s.ForgetUpserted()
			}
			deleted, err := c.act()
			after, all := assets(t, s), entries(t, s, journal.Filter{})
			want := written(before, after, deleted)
			if diff := cmp.Diff(want, noted(t, all[seen:])); diff != "" {
				t.Fatalf("seed %d, write %d, %v (-written +noted):\n%s%+v", seed, n, err, diff, all[seen:])
			}
			effective += len(want)
			before, seen = after, len(all)
		}
		if effective < 30 {
			t.Errorf("seed %d: only %d effective writes", seed, effective)
		}
	})
}

// Of writers at the same time, some of which lose their connection, each version has its entry, and is kept.
func TestTheAuditUnderRaces(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		r := upsert(t, s, shop, chosen, named("Sales", "select 0"))
		var writers sync.WaitGroup
		for w := range 6 {
			writers.Go(func() {
				for n := range 10 {
					ctx, cancel := context.WithCancel(t.Context())
					if w == 0 {
						time.AfterFunc(time.Duration(n)*100*time.Microsecond, cancel)
					}
					_, err := s.Reports().Upsert(ctx, shop, chosen, named("Sales", fmt.Sprintf("select %d, %d", w, n)), ada, anyone)
					if err != nil && w > 0 {
						t.Error(err)
					}
					cancel()
				}
			})
		}
		writers.Wait()
		now := load(t, s, shop, r.ID)
		var versions []int64
		for _, e := range entries(t, s, journal.Filter{Kind: journal.Report, AssetID: strconv.FormatInt(r.ID, 10)}) {
			versions = append(versions, e.Version)
		}
		list, _, err := s.Journal().Versions(t.Context(), shop, r.ID)
		if err != nil {
			t.Fatal(err)
		}
		var want, kept []int64
		for n := range now.Version {
			want = append(want, n+1)
			kept = append(kept, list[int(now.Version-n-1)].Version)
		}
		if diff := cmp.Diff(want, versions); diff != "" || now.Version < 51 {
			t.Errorf("version %d (-want +noted):\n%s", now.Version, diff)
		}
		if diff := cmp.Diff(want, kept); diff != "" {
			t.Errorf("(-want +kept):\n%s", diff)
		}
	})
}

func TestAnEntrySaysWhoFromWhereAndWhat(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		who := ada
		who.Via = record.Via{Token: "jti", Address: "192.0.2.7"}
		r, err := s.Reports().Create(t.Context(), shop, named("Sales", "select secret"), who)
		if err != nil {
			t.Fatal(err)
		}
		in := named("Sales by region", "select other")
		if _, err := s.Reports().Update(t.Context(), shop, r.ID, in, who, anyone); err != nil {
			t.Fatal(err)
		}
		planned, roles := who, []record.RoleAccess{{ID: 3, Actions: []string{record.ActionReportRead}}}
		planned.Via.Plan = "plan"
		if _, err := s.Reports().UpdateAccess(t.Context(), shop, r.ID, roles, planned, anyone); err != nil {
			t.Fatal(err)
		}
		if err := s.Reports().Delete(t.Context(), shop, r.ID, bob, anyone); err != nil {
			t.Fatal(err)
		}
		all := entries(t, s, journal.Filter{})
		for i := range all {
			all[i].ID, all[i].At = "", ""
		}
		asset := func(name string) journal.Asset { return journal.Asset{Kind: journal.Report, ID: "1", Name: name} }
		bobShown := bob.User()
		want := []journal.Entry{
			{User: adaShown(), From: "192.0.2.7", Token: "jti", Action: "report.create", Asset: asset("Sales"), Version: 1},
			{
				User: adaShown(), From: "192.0.2.7", Token: "jti", Action: "report.update", Asset: asset("Sales by region"), Version: 2,
				Pointers: []string{"/name", "/sqlQuery"},
			},
			{
				User: adaShown(), From: "192.0.2.7", Token: "jti", Action: "report.access", Asset: asset("Sales by region"), Version: 3,
				Pointers: []string{"/rolesWithAccess"}, Plan: "plan",
			},
			{User: &bobShown, Action: "report.delete", Asset: asset("Sales by region")},
		}
		if diff := cmp.Diff(want, all); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		for key, content := range s.Dump(t) {
			if text := fmt.Sprint(content); strings.HasSuffix(key, ":audit") && strings.Contains(text, "select") {
				t.Errorf("the audit has SQL: %s", text)
			}
		}
	})
}

func TestVersionsAreBounded(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		r := upsert(t, s, shop, chosen, named("Sales", "select 0"))
		kept := func() (list []journal.Version) {
			list, _, err := s.Journal().Versions(t.Context(), shop, r.ID)
			if err != nil {
				t.Fatal(err)
			}
			return list
		}
		if list := kept(); len(list) != 1 || !list[0].Current || list[0].Version != 1 || list[0].UpdatedBy == nil {
			t.Errorf("a report that was never changed has %+v", list)
		}
		for n := range 120 {
			upsert(t, s, shop, chosen, named("Sales", "select "+strconv.Itoa(n+1)))
		}
		if list := kept(); len(list) != 100 || list[0].Version != 121 || list[99].Version != 22 {
			t.Errorf("%d versions are kept", len(list))
		}
		large := strings.Repeat("x", 3<<20)
		for n := range 6 {
			upsert(t, s, shop, chosen, named("Sales", large+strconv.Itoa(n)))
		}
		list, bytes := kept(), 0
		for _, v := range list[1:] {
			bytes += v.Bytes
		}
		if len(list) != 4 || bytes > 10<<20 || list[3].Version != 124 {
			t.Errorf("%d large versions are kept, of %d bytes", len(list), bytes)
		}
		old, now, err := s.Journal().Version(t.Context(), shop, r.ID, 125)
		if err != nil || old == nil || old.SQLQuery != large+"3" || now.Version != 127 {
			t.Errorf("version 125: %v", err)
		}
		if gone, _, err := s.Journal().Version(t.Context(), shop, r.ID, 3); gone != nil || err != nil {
			t.Errorf("a version that went is still there, %v", err)
		}
		if err := s.Reports().Delete(t.Context(), shop, r.ID, ada, anyone); err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.Journal().Versions(t.Context(), shop, r.ID); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("of a deleted report: %v", err)
		}
		wantOnly(t, s, "mooring:partitions", "mooring:schema", ":ids", ":events", ":audit")
	})
}

func TestEditsAreNotedOnceWhenTheyAreReturned(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		p := c.connect("Sales!B3")
		c.leaveEdits(p, []record.Edit{seen("a", 1, 0, monday), seen("b", 1, 1, monday)})
		for _, cells := range [][]string{{"B4"}, {"B4"}, {}, nil, nil} {
			must(c.T, c.giveBack(p, cells...))
		}
		list := entries(c.T, c.s, journal.Filter{Kind: journal.Placement, AssetID: p.ID})
		var actions []string
		for _, e := range list {
			actions = append(actions, e.Action)
		}
		if diff := cmp.Diff([]string{"placement.connect", "placement.return", "placement.return"}, actions); diff != "" {
			c.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestImportedPlacementsAreNoted(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		r := create(t, s, shop, named("Sales", ""))
		importAll(t, s, r.ID, storage.Placed{Placement: placements.Placement{ID: "p", WorkbookID: "doc", SheetName: "S", AnchorCell: "A1"}})
		list := entries(t, s, journal.Filter{Kind: journal.Placement, AssetID: "p"})
		if len(list) != 1 || list[0].Action != "placement.import" || list[0].User != nil || list[0].Asset.Name != "doc S!A1" {
			t.Errorf("%+v", list)
		}
	})
}

// A schedule that others delete at the same moment as its report has one entry.
func TestADeletedScheduleHasOneEntry(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		r := create(t, s, shop, named("Sales", ""))
		spec := record.ScheduleSpec{Name: "daily", Target: record.RunTarget{ReportID: r.ID}, Cron: []string{"@daily"}}
		c, err := s.Schedules().Create(t.Context(), shop, spec, ada, func(int64) record.Tick { return record.Tick{} })
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Schedules().Delete(t.Context(), shop, c.ID, bob, func(*record.Schedule) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if err := s.Reports().Delete(t.Context(), shop, r.ID, ada, anyone, c); err != nil { // as it was read before
			t.Fatal(err)
		}
		list := entries(t, s, journal.Filter{Kind: journal.Schedule, AssetID: strconv.FormatInt(c.ID, 10)})
		if len(list) != 2 || list[1].Action != "schedule.delete" || list[1].User.ID != bob.ID {
			t.Errorf("%+v", list)
		}
	})
}
