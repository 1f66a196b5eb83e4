package storage_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/code"
	"mooring/storage/journal"
	"mooring/storage/record"
	"mooring/storage/record/portable"
)

// pipeline is who applies plans in the tests.
var pipeline = record.Actor{ID: 20, Email: "ci@example.com", Actions: []string{record.ActionAll}}

// noTick lets schedules of plans fire never: the tests of refresh know when they do.
func noTick(*record.Schedule, *record.Schedule) (record.Tick, error) { return record.Tick{}, nil }

// project reads a bundle of assets, each "kind ref definition".
func project(t testing.TB, assets ...string) *portable.Bundle {
	t.Helper()
	b := &portable.Bundle{Project: "finance"}
	for _, text := range assets {
		kind, rest, _ := strings.Cut(text, " ")
		ref, definition, _ := strings.Cut(rest, " {")
		var a portable.Asset
		if err := json.Unmarshal(fmt.Appendf(nil, `{"kind":%q,"ref":%q,"definition":{%s}`, kind, ref, definition), &a); err != nil {
			t.Fatal(text, err)
		}
		b.Assets = append(b.Assets, a)
	}
	return b
}

const (
	sales    = `report SalesRegion1 {"name":"Sales","sqlQuery":"select 1"}`
	salesTwo = `report SalesRegion1 {"name":"Sales","sqlQuery":"select 2"}`
	board    = `workbook board {"name":"Board","dashboard":{"widgets":[
		{"id":"w","type":"CHART","config":{"reportPublicId":"SalesRegion1"}}]}}`
	placement = `placement board.xlsx/Data!A1 {"report":"SalesRegion1","document":"board.xlsx","sheet":"Data","anchor":"A1"}`
	daily     = `schedule daily {"cron":["@daily"],"target":{"publicId":"SalesRegion1","document":"board.xlsx","address":"Data!A1"}}`
)

// planned makes and keeps a plan.
func planned(t testing.TB, s *storage.Store, b *portable.Bundle) *portable.ApplyPlan {
	t.Helper()
	p, _, err := s.Plans().Make(t.Context(), shop, b, pipeline, "UTC")
	if err == nil {
		err = s.Plans().Keep(t.Context(), shop, p, b, pipeline)
	}
	if err != nil {
		t.Fatal(err, placements.DetailsOf(err))
	}
	return p
}

// applied plans and applies a bundle.
func applied(t testing.TB, s *storage.Store, b *portable.Bundle) *portable.PlanResult {
	t.Helper()
	r, err := s.Plans().Apply(t.Context(), shop, planned(t, s, b).ID, pipeline, "UTC", noTick)
	if err != nil {
		t.Fatal(err, placements.DetailsOf(err))
	}
	return r
}

// actionsOf are what a plan does, by the assets' names.
func actionsOf(p *portable.ApplyPlan) map[string]portable.Action {
	m := map[string]portable.Action{}
	for i := range p.Assets {
		m[p.Assets[i].Name()] = p.Assets[i].Action
	}
	return m
}

func TestApplyPlan(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		whole := []string{sales, board, placement, daily}
		first := applied(t, s, project(t, whole...))
		if first.Summary.Create != 4 {
			t.Fatalf("%+v", first)
		}
		r, err := s.Reports().ByPublicID(t.Context(), shop, "SalesRegion1")
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Placements) != 1 || !r.Placements[0].ManagedBy.By("finance") || !r.ManagedBy.By("finance") ||
			r.ExternalWorkbookID != "board.xlsx" {
			t.Errorf("%+v", r)
		}
		w, err := s.Workbooks().BySlug(t.Context(), shop, "board")
		if err != nil || !w.ManagedBy.By("finance") || !strings.Contains(string(w.DashboardDraft), fmt.Sprintf(`"reportId":%d`, r.ID)) {
			t.Errorf("%+v %v", w, err)
		}
		c, err := s.Schedules().ByKey(t.Context(), shop, "daily")
		if err != nil || c.Target.PlacementID != r.Placements[0].ID || !c.ManagedBy.By("finance") || c.Timezone != "UTC" {
			t.Errorf("%+v %v", c, err)
		}
		made := []record.EventType{record.EventReportChanged, record.EventPlacementConnected, record.EventScheduleChanged}
		wantEvents(t, s, made...)
		before := s.Dump(t)
		if again := applied(t, s, project(t, whole...)); again.Summary.Unchanged != 4 {
			t.Errorf("%+v", again)
		}
		wantSameAssets(t, before, s.Dump(t))

		if next := applied(t, s, project(t, salesTwo, board, placement, daily)); next.Summary.Update != 1 || next.Assets[0].Version != 2 {
			t.Errorf("%+v", next)
		}
		smaller := project(t, salesTwo)
		smaller.Prune = &portable.Prune{}
		if last := applied(t, s, smaller); last.Summary.Delete != 3 {
			t.Errorf("%+v", last)
		}
		empty := project(t, `workbook other {}`)
		empty.Prune = &portable.Prune{}
		if last := applied(t, s, empty); last.Summary.Delete != 1 {
			t.Errorf("%+v", last)
		}
		wantEvents(t, s, append(made, record.EventReportChanged, record.EventPlacementDisconnected, record.EventScheduleDeleted)...)
		if reports, _ := s.Claims(t, shop); len(reports) != 0 {
			t.Errorf("claims that are left: %v", reports)
		}
	})
}

// wantEvents checks which events there were.
func wantEvents(t *testing.T, s *storage.Store, want ...record.EventType) {
	t.Helper()
	events, err := s.Queue().Events.After(t.Context(), shop, "0-0", 100)
	var got []record.EventType
	for _, e := range events {
		got = append(got, e.Type)
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(diff, err)
	}
}

// wantSameAssets checks that nothing but plans differs.
func wantSameAssets(t *testing.T, before, after map[string]map[string]string) {
	t.Helper()
	for _, dump := range []map[string]map[string]string{before, after} {
		for key := range dump {
			if strings.Contains(key, ":plan:") || strings.Contains(key, ":plans:") || strings.HasSuffix(key, ":plansKept") {
				delete(dump, key)
			}
		}
	}
	wantSameDump(t, before, after)
}

// What was made without a project, an edit by hand and a deletion by hand are seen by the next plan.
func TestPlanSeesWhatPeopleDo(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		shown := create(t, s, shop, named("Sales", "select 1"))
		adopting := `report ` + shown.PublicID + ` {"name":"Sales"}`
		if p := planned(t, s, project(t, adopting)); p.Assets[0].Action != portable.ActionAdopt {
			t.Fatalf("%+v", p)
		}
		applied(t, s, project(t, adopting, `workbook w {"name":"W"}`))
		r, err := s.Reports().ByPublicID(t.Context(), shop, shown.PublicID)
		if err != nil || r.StoredPublicID != shown.PublicID || r.Version != 1 || !r.ManagedBy.By("finance") {
			t.Fatalf("%+v %v", r, err)
		}
		if _, err := s.Reports().Update(t.Context(), shop, r.ID, named("By hand", "select 1"), bob, anyone); err != nil {
			t.Fatal(err)
		}
		w, err := s.Workbooks().BySlug(t.Context(), shop, "w")
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Workbooks().Delete(t.Context(), shop, w.ID, bob, anyWorkbook); err != nil {
			t.Fatal(err)
		}
		p := planned(t, s, project(t, adopting, `workbook w {"name":"W"}`))
		if a := p.Assets[0]; a.Action != portable.ActionUpdate || a.Drift == nil || a.Drift.By != bob.Email || !a.ManagedBy.By("finance") {
			t.Errorf("%+v", a)
		}
		if a := p.Assets[1]; a.Action != portable.ActionCreate || a.Deleted == nil || a.Deleted.By != bob.Email {
			t.Errorf("%+v", a)
		}
		other := project(t, adopting)
		other.Project = "sales"
		if p := planned(t, s, other); p.Assets[0].Action != portable.ActionConflict || !strings.Contains(p.Assets[0].Message, "finance") {
			t.Errorf("%+v", p.Assets[0])
		} else if _, err := s.Plans().Apply(t.Context(), shop, p.ID, pipeline, "UTC", noTick); placements.CodeOf(err) != placements.CodePlanConflicts {
			t.Errorf("%v", err)
		}
	})
}

// Where a reader placed a report, agents may not open the document until a user with edit access has it stand there: also by a plan that
// adopts the placement, and by the next one of a project that has it already. The audit says so, and nothing else of the placement changes.
func TestAPlanVouchesForWhatAReaderPlaced(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		r := create(t, s, shop, named("Sales", "select 1"))
		reader := record.Actor{ID: 30, Actions: []string{record.ActionReportRead}}
		reads := func(at string) {
			t.Helper()
			where := placements.Connection{PlacementID: "p1", ExternalWorkbookID: "book.xlsx", ResultLocation: at, AddressOnly: true}
			if _, err := s.Placements().Connect(t.Context(), shop, r.ID, where, reader, nil, true); err != nil {
				t.Fatal(err)
			}
		}
		reads("Data!B2")
		placed := func() storage.Placed {
			t.Helper()
			got, err := s.Reports().Get(t.Context(), shop, r.ID)
			if err != nil || len(got.Placements) != 1 {
				t.Fatalf("%+v %v", got, err)
			}
			return got.Placements[0]
		}
		connects := func() int {
			t.Helper()
			events, err := s.Queue().Events.After(t.Context(), shop, "0-0", 100)
			if err != nil {
				t.Fatal(err)
			}
			return len(slices.DeleteFunc(events, func(e record.Event) bool { return e.Type != record.EventPlacementConnected }))
		}
		declares := func(protect bool) *portable.Bundle {
			b := project(t, `placement book.xlsx/Data!B2 {"report":"`+r.PublicID+`","document":"book.xlsx","sheet":"Data","anchor":"B2"}`)
			b.Assets[0].Protect = protect
			return b
		}
		for i, want := range []portable.Action{portable.ActionAdopt, portable.ActionUpdate, portable.ActionUpdate} {
			b := declares(i == 2)
			if p := planned(t, s, b); p.Assets[0].Action != want || p.Assets[0].Changes[0].Pointer != "/placer" {
				t.Errorf("%+v, want %s of /placer", p.Assets[0], want)
			}
			before, events := placed(), connects()
			applied(t, s, b)
			after := placed()
			if before.Placer != placements.PlacedByReader || after.Placer != placements.PlacedByEditor {
				t.Errorf("the %s makes it placed by %q, before by %q", want, after.Placer, before.Placer)
			}
			if after.Claim != before.Claim || connects() != events {
				t.Errorf("the %s claims the cells anew: %d after %d, %d events after %d", want, after.Claim, before.Claim, connects(), events)
			}
			all := entries(t, s, journal.Filter{})
			if last := all[len(all)-1]; last.Action != "placement."+string(want) || !slices.Equal(last.Pointers, []string{"/placer"}) {
				t.Errorf("the audit says of the %s: %+v", want, last)
			}
			if p := planned(t, s, b); p.Assets[0].Action != portable.ActionUnchanged {
				t.Errorf("after the %s: %+v", want, p.Assets[0])
			}
			for _, at := range []string{"Data!C5", "Data!B2"} { // the reader moves it, and back
				reads(at)
			}
		}
	})
}

func TestStaleAndExpiredPlans(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		applied(t, s, project(t, sales))
		p := planned(t, s, project(t, salesTwo))
		r, err := s.Reports().ByPublicID(t.Context(), shop, "SalesRegion1")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Reports().Update(t.Context(), shop, r.ID, named("By hand", "select 1"), bob, anyone); err != nil {
			t.Fatal(err)
		}
		before := s.Dump(t)
		_, err = s.Plans().Apply(t.Context(), shop, p.ID, pipeline, "UTC", noTick)
		if details := placements.DetailsOf(err); placements.CodeOf(err) != placements.CodePlanStale || len(details) != 1 ||
			!strings.Contains(details[0].Message, "report:SalesRegion1") {
			t.Errorf("%v %v", err, details)
		}
		wantSameDump(t, before, s.Dump(t))
		again := planned(t, s, project(t, salesTwo))
		for i := range code.MaxPlans {
			b := project(t, salesTwo)
			b.Environment = strconv.Itoa(i)
			if planned(t, s, b); i == code.MaxPlans-2 {
				if same := planned(t, s, project(t, salesTwo)); same.ID != again.ID {
					t.Error("one plan that is made twice is kept twice")
				}
			}
		}
		if _, err := s.Plans().Get(t.Context(), shop, p.ID, pipeline); placements.CodeOf(err) != placements.CodePlanExpired {
			t.Errorf("the plan before the latest %d: %v", code.MaxPlans, err)
		}
		if _, err := s.Plans().Get(t.Context(), shop, again.ID, pipeline); err != nil {
			t.Errorf("a plan that was made again among the latest %d: %v", code.MaxPlans, err)
		}
		if _, err := s.Plans().Apply(t.Context(), shop, "none", pipeline, "UTC", noTick); placements.CodeOf(err) != placements.CodePlanExpired {
			t.Errorf("no plan: %v", err)
		}
	})
}

// A plan that another request applies meanwhile has changed what it was made on by itself: it is not stale, even if it is forgotten by then.
func TestAPlanThatWasAppliedMeanwhileIsNotStale(t *testing.T) {
	for name, row := range map[string]struct {
		forgotten bool
		want      placements.Code
	}{"kept": {false, ""}, "forgotten": {true, placements.CodePlanExpired}} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *storage.Store) {
				applied(t, s, project(t, sales))
				p := planned(t, s, project(t, salesTwo))
				apply := func() error {
					_, err := s.Plans().Apply(t.Context(), shop, p.ID, pipeline, "UTC", noTick)
					return err
				}
				inside := false
				s.Before(1, func() { // once it has read the plan
					inside = true
					if err := apply(); err != nil {
						t.Errorf("the other request: %v", err)
					}
					if row.forgotten {
						s.DropPlan(t, shop, p.ID)
					}
				})
				if err := apply(); placements.CodeOf(err) != row.want || row.want == "" && err != nil || !inside {
					t.Errorf("%v, want the code %q", err, row.want)
				}
			})
		})
	}
}

// A plan that was applied and whose effect was taken back since is another plan when it is made again.
func TestAPlanOfWhatWasTakenBackIsAnother(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		p := applied(t, s, project(t, sales))
		r, err := s.Reports().ByPublicID(t.Context(), shop, "SalesRegion1")
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Reports().Delete(t.Context(), shop, r.ID, bob, anyone); err != nil {
			t.Fatal(err)
		}
		if again := applied(t, s, project(t, sales)); again.ID == p.ID {
			t.Error("the plan that was applied first was taken for it")
		}
		if _, err := s.Reports().ByPublicID(t.Context(), shop, "SalesRegion1"); err != nil {
			t.Errorf("the report was not created again: %v", err)
		}
	})
}

// Of simultaneous applies of one plan all do what one does; of plans of one bundle one is applied and the others are stale.
func TestSimultaneousApplies(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		const many = 64
		whole := []string{sales, board, placement, daily}
		one := planned(t, s, project(t, whole...))
		results := make([]*portable.PlanResult, many)
		together(many, func(i int) {
			var err error
			if results[i], err = s.Plans().Apply(t.Context(), shop, one.ID, pipeline, "UTC", noTick); err != nil {
				t.Error(err)
			}
		})
		for _, r := range results[1:] {
			a, _ := record.Encode(results[0])
			if b, _ := record.Encode(r); a != b {
				t.Fatalf("one plan was applied to two ends:\n%s\n%s", a, b)
			}
		}
		plans := make([]*portable.ApplyPlan, many)
		for i := range plans {
			b := project(t, salesTwo, board, placement, daily)
			p, _, err := s.Plans().Make(t.Context(), shop, b, record.Actor{ID: int64(100 + i), Actions: pipeline.Actions}, "UTC")
			if err == nil {
				err = s.Plans().Keep(t.Context(), shop, p, b, record.Actor{ID: int64(100 + i)})
			}
			if plans[i] = p; err != nil {
				t.Fatal(err)
			}
		}
		var mu sync.Mutex
		codes := map[placements.Code]int{}
		together(many, func(i int) {
			_, err := s.Plans().Apply(t.Context(), shop, plans[i].ID, pipeline, "UTC", noTick)
			mu.Lock()
			defer mu.Unlock()
			codes[placements.CodeOf(err)]++
			if err != nil && placements.CodeOf(err) == "" {
				t.Error(err)
			}
		})
		if diff := cmp.Diff(map[placements.Code]int{"": 1, placements.CodePlanStale: many - 1}, codes); diff != "" {
			t.Error(diff)
		}
		if r, err := s.Reports().ByPublicID(t.Context(), shop, "SalesRegion1"); err != nil || r.Version != 2 || len(r.Placements) != 1 {
			t.Errorf("%+v %v", r, err)
		}
	})
}

// together runs do n times at once.
func together(n int, do func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { do(i) })
	}
	wg.Wait()
}

// An apply that is stopped between any two round trips leaves all or nothing, and can be repeated.
func TestCrashedApplies(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		for name, bundles := range map[string][]*portable.Bundle{
			"create": {project(t, sales, board, placement, daily)},
			"change": {project(t, sales, board, placement, daily), project(t, salesTwo, `workbook board {"name":"New"}`, daily)},
			"delete": {project(t, sales, board, placement, daily), func() *portable.Bundle {
				b := project(t, `workbook other {}`)
				b.Prune = &portable.Prune{}
				return b
			}()},
		} {
			crashApply(t, s, bundles, math.MaxInt) // the server learns the scripts
			trips := crashApply(t, s, bundles, math.MaxInt)
			for at := range trips + 1 {
				t.Run(fmt.Sprintf("%s, after %d of %d round trips", name, at, trips), func(t *testing.T) { crashApply(t, s, bundles, at) })
			}
		}
	})
}

func crashApply(t *testing.T, s *storage.Store, bundles []*portable.Bundle, at int) (trips int) {
	t.Helper()
	s.Clear(t)
	s.ForgetPlacements()
	s.ForgetUpserted()
	for _, b := range bundles[:len(bundles)-1] {
		applied(t, s, b)
	}
	p := planned(t, s, bundles[len(bundles)-1])
	before := s.Dump(t)
	revive := s.CrashAfter(at)
	_, err := s.Plans().Apply(t.Context(), shop, p.ID, pipeline, "UTC", noTick)
	trips = revive()
	if at > trips {
		if err != nil {
			t.Fatal(err)
		}
		return trips
	}
	if kept, keptErr := s.Plans().Get(t.Context(), shop, p.ID, pipeline); keptErr != nil {
		t.Fatal(keptErr)
	} else if kept.AppliedAt == "" {
		wantSameDump(t, before, s.Dump(t))
	}
	s.ExpireLocks(t)
	done, err := s.Plans().Apply(t.Context(), shop, p.ID, pipeline, "UTC", noTick)
	if err != nil || done.ID != p.ID {
		t.Fatalf("the apply that was stopped cannot be repeated: %v", err)
	}
	b := bundles[len(bundles)-1]
	if again, _, err := s.Plans().Make(t.Context(), shop, b, pipeline, "UTC"); err != nil || again.Summary.Unchanged != len(b.Assets) {
		t.Errorf("after it: %v %v", actionsOf(again), err)
	}
	return trips
}

// While people edit what a plan changes, it is stale or wholly applied.
func TestApplyAgainstAnEditor(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		applied(t, s, project(t, sales, placement, `workbook board {"name":"0"}`))
		r, err := s.Reports().ByPublicID(t.Context(), shop, "SalesRegion1")
		if err != nil {
			t.Fatal(err)
		}
		stop := make(chan struct{})
		var wg sync.WaitGroup
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				if _, err := s.Reports().Update(t.Context(), shop, r.ID, named(fmt.Sprint("By hand ", i), "select 1"), bob, anyone); err != nil {
					t.Error(err)
				}
			}
		})
		ends := map[placements.Code]int{}
		for i := range 30 {
			name := fmt.Sprint("By plan ", i+1)
			b := project(t, `report SalesRegion1 {"name":"`+name+`"}`, placement, `workbook board {"name":"`+name+`"}`)
			p := planned(t, s, b)
			_, err := s.Plans().Apply(t.Context(), shop, p.ID, pipeline, "UTC", noTick)
			ends[placements.CodeOf(err)]++
			if code := placements.CodeOf(err); err != nil && code != placements.CodePlanStale {
				t.Error(err)
			}
			w, wErr := s.Workbooks().BySlug(t.Context(), shop, "board")
			if wErr != nil || (w.Name == name) != (err == nil) {
				t.Errorf("%v, and the workbook is %q", err, w.Name)
			}
		}
		close(stop)
		wg.Wait()
		t.Log(ends)
	})
}

// However many plans a user makes, and in how many deployments, they take a bounded room; the latest is there.
func TestPlansTakeABoundedRoom(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		large := strings.Repeat("x", 7<<20)
		var last *portable.ApplyPlan
		var in record.Deployment
		for i := range 25 {
			in = record.Deployment{Tenant: shop.Tenant, ID: shop.ID + int64(i%2)}
			p := &portable.ApplyPlan{Hash: fmt.Sprint(i, large)}
			if err := s.Plans().Keep(t.Context(), in, p, project(t, sales), pipeline); err != nil {
				t.Fatal(err)
			}
			last = p
		}
		bytes, plans := 0, 0
		for _, fields := range s.Dump(t) {
			if bundle, is := fields["bundle"]; is {
				bytes, plans = bytes+len(bundle)+len(fields["plan"]), plans+1
			}
		}
		if bytes > code.MaxPlanBytes || plans < 2 {
			t.Errorf("%d plans take %d bytes, want at most %d", plans, bytes, code.MaxPlanBytes)
		}
		if _, err := s.Plans().Get(t.Context(), in, last.ID, pipeline); err != nil {
			t.Errorf("the latest plan: %v", err)
		}
	})
}
