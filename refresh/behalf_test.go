package refresh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/result"
	"mooring/refresh/source"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/record/portable"
	"mooring/storage/storagetest"
)

// mirror is a source that shows each person who they are: their id and roles.
type mirror struct {
	mu      sync.Mutex
	asked   []int64               // who was shown something
	showing func(who source.User) // before they are, if it is set
	same    bool                  // it says that all are shown the same
	double  bool                  // it shows everything twice
}

func (m *mirror) Query(_ context.Context, q source.Query, b *checksum.Builder) ([]source.Column, error) {
	m.mu.Lock()
	m.asked = append(m.asked, q.User.ID)
	m.mu.Unlock()
	if m.showing != nil {
		m.showing(q.User)
	}
	b.Append(checksum.Str("who"))
	b.Append(checksum.Str(fmt.Sprint(q.User.ID, q.User.Roles)))
	if m.double {
		b.Append(checksum.Str(fmt.Sprint(q.User.ID, q.User.Roles)))
	}
	return []source.Column{{Name: "who"}}, nil
}

func (m *mirror) PerUser() bool             { return !m.same }
func (*mirror) Check(context.Context) error { return nil }
func (*mirror) Close() error                { return nil }

// The people of these tests: ann and bob may read the report by a role, carl by an action of his token, and dora made it.
var (
	ann  = record.Actor{ID: 1, Email: "ann@example.com", Roles: []int64{3}}
	bob  = record.Actor{ID: 2, Roles: []int64{4}}
	carl = record.Actor{ID: 5, Actions: []string{"Fly", record.ActionReportRead}}
	dora = record.Actor{ID: 7}
)

// newMirror is a desk with one report over a mirror. It stands in "book" for dora.
func newMirror(t *testing.T, s *storage.Store) (*desk, *mirror) {
	d, m := newDesk(t, s, 1), &mirror{}
	d.engine = New(Config{
		Store: s, Log: slog.New(slog.NewTextHandler(d.log, nil)),
		Tenants: map[string]Tenant{"acme": {
			Deployments: map[int64]DeploymentSource{1: {Source: m, Location: time.UTC}},
			Hosts:       []Spreadsheets{{Kind: placements.SheetsB, Driver: d.books}},
		}},
	})
	d.grant(3, 4)
	return d, m
}

// grant lets exactly those roles read the report.
func (d *desk) grant(roles ...int64) {
	d.Helper()
	var list []record.RoleAccess
	for _, id := range roles {
		list = append(list, record.RoleAccess{ID: id, Actions: []string{record.ActionReportRead}})
	}
	_, err := d.store.Reports().UpdateAccess(d.Context(), deskDeployment, d.reports[0], list, record.Actor{ID: 7}, func(*storage.Report) error { return nil })
	must(d.T, err)
}

// place connects the report at the first cell of a document for a person, and has dora confirm that agents may open it.
func (d *desk) place(who record.Actor, document string, addressOnly bool) placements.Placement {
	d.Helper()
	d.placeAlone(who, document, addressOnly)
	return d.placeAlone(dora, document, true)
}

// placeAlone connects the report at the first cell of a document for a person.
func (d *desk) placeAlone(who record.Actor, document string, addressOnly bool) placements.Placement {
	d.Helper()
	c, err := d.store.Placements().Connect(d.Context(), deskDeployment, d.reports[0], placements.Connection{
		ExternalWorkbookID: document, ResultLocation: "Data!A1", AddressOnly: addressOnly,
	}, who, nil, false)
	must(d.T, err)
	return *c.Placement
}

// holds is what the block in a document shows.
func (d *desk) holds(document string) string {
	d.books.mu.Lock()
	defer d.books.mu.Unlock()
	return d.books.book(document).cells[[2]int{1, 0}].Text
}

// refreshed lets an agent end a run that by asks for.
func (d *desk) refreshed(by record.Actor, r Request) *record.Run {
	d.Helper()
	r.Target.ReportID, r.By = d.reports[0], by
	run, err := d.engine.Start(d.Context(), deskDeployment, r)
	must(d.T, err)
	d.work()
	return d.run(run.ID)
}

// scheduled lets an agent end a run of a schedule of the whole report.
func (d *desk) scheduled(owner record.Actor) *record.Run {
	d.Helper()
	target := record.RunTarget{ReportID: d.reports[0]}
	c, err := d.engine.Schedules().Create(d.Context(), deskDeployment, record.ScheduleSpec{Target: target, Cron: []string{"@yearly"}}, owner)
	must(d.T, err)
	c, err = d.store.Schedules().Get(d.Context(), deskDeployment, c.ID)
	must(d.T, err)
	run, err := d.engine.Schedules().Run(d.Context(), deskDeployment, c, c.Owner)
	must(d.T, err)
	d.work()
	return d.run(run.ID)
}

// ends checks what came of a run: its state and class, and those of its placements by the document.
func (d *desk) ends(run *record.Run, want string, each map[string]string) {
	d.Helper()
	report, err := d.store.Reports().Get(d.Context(), deskDeployment, d.reports[0])
	must(d.T, err)
	got := map[string]string{}
	for _, o := range run.Placements {
		p, _ := report.Find(o.PlacementID)
		got[p.WorkbookID] = strings.TrimSpace(string(o.State) + " " + string(o.ErrorClass))
	}
	if diff := cmp.Diff(each, got); diff != "" || strings.TrimSpace(string(run.State)+" "+string(run.ErrorClass)) != want {
		d.Errorf("the run is %s %s (%s), want %s; placements (-want +got):\n%s", run.State, run.ErrorClass, run.Error, want, diff)
	}
}

func TestAPreviewAsksANewQueryOnlyForThePersonWhoPlans(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, s *storage.Store) {
		d, m := newMirror(t, s)
		editor := record.Actor{ID: ann.ID, Actions: []string{record.ActionAll}}
		d.place(editor, "ann", true)
		d.refreshed(editor, Request{})
		report, err := s.Reports().Get(t.Context(), deskDeployment, d.reports[0])
		must(t, err)
		var b portable.Bundle
		must(t, json.Unmarshal(fmt.Appendf(nil, `{"project": "finance", "assets": [
			{"kind": "report", "ref": %[1]q, "definition": {"sqlQuery": "SELECT of_others"}},
			{"kind": "placement", "ref": "book/Data!A1", "definition": {"report": %[1]q, "document": "book", "sheet": "Data", "anchor": "A1"}},
			{"kind": "placement", "ref": "ann/Data!A1", "definition": {"report": %[1]q, "document": "ann", "sheet": "Data", "anchor": "A1"}}
		]}`, report.PublicID), &b))
		b.Preview, m.asked = true, nil
		p, err := d.engine.Bundles().Plan(t.Context(), deskDeployment, &b, editor)
		must(t, err)
		got := []string{p.Assets[1].Preview, p.Assets[2].Preview}
		if diff := cmp.Diff([]string{othersRows, "nothing to write"}, got); diff != "" {
			t.Errorf("previews (-want +got):\n%s", diff)
		}
		if !slices.Equal(m.asked, []int64{ann.ID}) {
			t.Errorf("asked on behalf of %d", m.asked)
		}
	})
}

func TestEachPlacementIsQueriedOnBehalfOfWhoPlacedIt(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, s *storage.Store) {
		d, m := newMirror(t, s)
		d.place(ann, "ann", true)
		d.place(ann, "ann too", false)
		d.place(carl, "carl", true)
		run := d.refreshed(bob, Request{})
		d.ends(run, "SUCCEEDED", map[string]string{"book": "SUCCEEDED", "ann": "SUCCEEDED", "ann too": "SUCCEEDED", "carl": "SUCCEEDED"})
		for document, want := range map[string]string{"book": "7 []", "ann": "1 [3]", "ann too": "1 [3]", "carl": "5 []"} {
			if got := d.holds(document); got != want {
				t.Errorf("%s shows %q, want %q", document, got, want)
			}
		}
		slices.Sort(m.asked)
		if diff := cmp.Diff([]int64{1, 5, 7}, m.asked); diff != "" {
			t.Errorf("queries, one a person (-want +got):\n%s", diff)
		}
		for _, p := range run.Placements {
			if p.RunAsUserID == bob.ID || p.RunAsUserID == 0 {
				t.Errorf("the run says that it queried on behalf of user %d", p.RunAsUserID)
			}
		}
	})
}

func TestASourceThatShowsEverybodyTheSameIsAskedOnce(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, s *storage.Store) {
		d, m := newMirror(t, s)
		m.same = true
		d.place(ann, "ann", true)
		d.place(bob, "bob", true)
		d.ends(d.refreshed(carl, Request{}), "SUCCEEDED", map[string]string{"book": "SUCCEEDED", "ann": "SUCCEEDED", "bob": "SUCCEEDED"})
		if len(m.asked) != 1 {
			t.Errorf("%d queries, want 1", len(m.asked))
		}
	})
}

func TestARunFailsAuthWhereThePlacerMayNoLongerRead(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, s *storage.Store) {
		d, m := newMirror(t, s)
		d.place(ann, "ann", true)
		d.place(bob, "bob", true)
		d.place(carl, "carl", true)
		d.grant(4)
		d.ends(d.refreshed(bob, Request{}), "FAILED auth", map[string]string{
			"book": "SUCCEEDED", "ann": "FAILED auth", "bob": "SUCCEEDED", "carl": "SUCCEEDED",
		})
		if slices.Contains(m.asked, ann.ID) || d.holds("ann") != "" {
			t.Errorf("ann was shown rows: %v, %q", m.asked, d.holds("ann"))
		}
		d.place(bob, "ann", false)
		d.ends(d.refreshed(bob, Request{}), "SUCCEEDED", map[string]string{
			"book": "SUCCEEDED", "ann": "SUCCEEDED", "bob": "SUCCEEDED", "carl": "SUCCEEDED",
		})
	})
}

func TestAPlacementWithoutRunAsIsQueriedForItsPlacerOrNotAtAll(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, s *storage.Store) {
		d, m := newMirror(t, s)
		must(t, storagetest.Import(t.Context(), s, deskDeployment, d.reports[0], []storage.Placed{{Placement: placements.Placement{
			ID: "old", WorkbookID: "old", Host: placements.SheetsB, SheetName: "Data", AnchorCell: "A1", ResultLocation: "Data!A1",
			PlacedByUserID: 9,
		}}}))
		old := Request{Target: record.RunTarget{PlacementID: "old"}}
		run := d.refreshed(dora, old)
		d.ends(run, "FAILED auth", map[string]string{"old": "FAILED auth"})
		if !strings.Contains(run.Error, "connect the report there again") || len(m.asked) != 0 {
			t.Errorf("error %q, asked for %v", run.Error, m.asked)
		}
		m.same = true
		d.ends(d.refreshed(dora, old), "SUCCEEDED", map[string]string{"old": "SUCCEEDED"})
		if got := d.holds("old"); got != "9 []" {
			t.Errorf("it shows %q, want what its placer is shown", got)
		}
	})
}

func TestAScheduleOfAReaderRefreshesTheirOwnPlacementsOnly(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, s *storage.Store) {
		d, _ := newMirror(t, s)
		d.place(ann, "ann", true)
		d.place(bob, "bob", true)
		d.ends(d.scheduled(ann), "SUCCEEDED", map[string]string{"book": "SKIPPED", "ann": "SUCCEEDED", "bob": "SKIPPED"})
		d.ends(d.scheduled(carl), "SKIPPED", map[string]string{"book": "SKIPPED", "ann": "SKIPPED", "bob": "SKIPPED"})
		d.ends(d.scheduled(dora), "SUCCEEDED", map[string]string{"book": "SUCCEEDED", "ann": "SUCCEEDED", "bob": "SUCCEEDED"})
		d.place(bob, "ann", false)
		d.ends(d.scheduled(ann), "SKIPPED", map[string]string{"book": "SKIPPED", "ann": "SKIPPED", "bob": "SKIPPED"})
		d.quiet()
	})
}

func TestAScheduleFailsAuthWhenItsOwnerMayNoLongerRead(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, s *storage.Store) {
		d, m := newMirror(t, s)
		d.grant()
		run := d.scheduled(ann)
		d.ends(run, "FAILED auth", map[string]string{})
		if !strings.Contains(run.Error, "ann@example.com, who owns the schedule") || len(m.asked) != 0 {
			t.Errorf("error %q, asked for %v", run.Error, m.asked)
		}
	})
}

// The tables of several people need not fit in memory together: those that do not are queried once the others are written.
func TestTablesOfSeveralPeopleTakeTurnsInMemory(t *testing.T) {
	d, _ := newMirror(t, storagetest.Open(t, "embedded"))
	d.place(ann, "ann", false)
	d.place(bob, "bob", false)
	d.engine.attempts.results = result.NewResults(2<<20, 2<<20)
	d.engine.attempts.documents.Results = d.engine.attempts.results
	d.ends(d.refreshed(dora, Request{}), "SUCCEEDED", map[string]string{"book": "SUCCEEDED", "ann": "SUCCEEDED", "bob": "SUCCEEDED"})
	if a, b := d.holds("ann"), d.holds("bob"); a != "1 [3]" || b != "2 [4]" {
		t.Errorf("ann's block shows %q, bob's %q", a, b)
	}
}

func TestAReaderHasOnlyTheirOwnPlacementsOverwritten(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, s *storage.Store) {
		d, _ := newMirror(t, s)
		d.place(ann, "ann", true)
		d.ends(d.refreshed(ann, Request{Options: onEdit(placements.Overwrite)}), "SUCCEEDED",
			map[string]string{"book": "SKIPPED", "ann": "SUCCEEDED"})
		d.ends(d.refreshed(ann, Request{Options: onEdit(placements.Keep)}), "SUCCEEDED",
			map[string]string{"book": "SUCCEEDED", "ann": "SUCCEEDED"})
	})
}

// A placement that another person takes over while its query runs is queried again: it must not be filled with the rows of the one before.
func TestAPlacementTakenOverDuringItsQueryShowsTheRowsOfItsNewPlacer(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, s *storage.Store) {
		d, m := newMirror(t, s)
		p := d.place(ann, "ann", true)
		m.showing = func(who source.User) {
			if who.ID == ann.ID {
				d.placeAlone(bob, "ann", false)
			}
		}
		run := d.refreshed(dora, Request{Target: record.RunTarget{PlacementID: p.ID}})
		d.ends(run, "SUCCEEDED", map[string]string{"ann": "SUCCEEDED"})
		if got := d.holds("ann"); got != "2 [4]" || run.Placements[0].RunAsUserID != bob.ID {
			t.Errorf("the block shows %q, on behalf of user %d", got, run.Placements[0].RunAsUserID)
		}
	})
}

// admitted makes agents open every document for whoever placed the report there.
func (d *desk) admitted() {
	d.Helper()
	bounded, err := storage.Open(d.Context(), storage.Config{
		Address: d.address, Documents: map[record.Deployment]placements.Documents{deskDeployment: {{Kind: placements.SheetsB, Documents: []string{"*"}}}},
	})
	must(d.T, err)
	d.Cleanup(func() { must(d.T, bounded.Close()) })
	d.engine.useQueue(bounded.Work())
}

// A disconnect leaves rows and marker in the sheet: a reader who connects under the same id neither sees nor removes them.
func TestTheIDOfAPlacementThatWasDisconnectedGivesNoRows(t *testing.T) {
	address := storagetest.Redis(t)
	d, _ := newMirror(t, storagetest.Open(t, address))
	d.address = address
	d.admitted()
	d.books.book("book").stamps = map[string]string{}
	d.ends(d.refreshed(dora, Request{}), "SUCCEEDED", map[string]string{"book": "SUCCEEDED"})
	p := d.standing(0)
	_, _, err := d.store.Placements().Disconnect(t.Context(), deskDeployment, d.reports[0], placements.Target{PlacementID: p.ID}, dora, nil, true)
	must(t, err)
	_, err = d.store.Placements().Connect(t.Context(), deskDeployment, d.reports[0], placements.Connection{
		ExternalWorkbookID: "book", ResultLocation: "Data!A1", PlacementID: p.ID, AddressOnly: true,
	}, ann, nil, false)
	must(t, err)
	for _, policy := range []placements.OnEdit{placements.Keep, placements.Stop, placements.Overwrite} {
		run := d.refreshed(ann, Request{Target: record.RunTarget{PlacementID: p.ID}, Options: onEdit(policy)})
		d.ends(run, "FAILED conflict", map[string]string{"book": "FAILED conflict"})
		if got := d.holds("book"); got != "7 []" || len(run.Placements[0].Overwritten) > 0 || strings.Contains(run.Error, "7 []") {
			t.Errorf("%s: the sheet shows %q, the run %+v", policy, got, run.Placements[0])
		}
	}
}

// What a reader asks to be overwritten where the block was never written is another person's; an editor may ask so, and a reader's runAs does
// not see what it was.
func TestOnlyAnEditorOverwritesWhereABlockWasNeverWritten(t *testing.T) {
	address := storagetest.Redis(t)
	d, _ := newMirror(t, storagetest.Open(t, address))
	d.address = address
	d.admitted()
	p := d.placeAlone(ann, "foreign", true)
	d.books.enter("foreign", 0, 0, checksum.Str("secret"))
	ask := Request{Target: record.RunTarget{PlacementID: p.ID}, Options: onEdit(placements.Overwrite)}
	d.ends(d.refreshed(ann, ask), "FAILED conflict", map[string]string{"foreign": "FAILED conflict"})
	run := d.refreshed(dora, ask)
	d.ends(run, "SUCCEEDED", map[string]string{"foreign": "SUCCEEDED"})
	if o := run.Placements[0]; len(o.Overwritten) != 1 || !o.OthersValues || o.RunAsUserID != ann.ID {
		t.Errorf("the run keeps %+v", o)
	}
	list, err := d.store.History().Changes(t.Context(), deskDeployment, d.reports[0], p.ID)
	if must(t, err); len(list) != 1 || list[0].RunAs != 0 {
		t.Errorf("its changes are for user %+v", list)
	}
}

// A block may show what was queried for one person even where the write that is remembered last was for another, and did not come there:
// what stood there is told to neither.
func TestWhatAWriteForAnotherPersonMayHaveLeftIsNotTold(t *testing.T) {
	d, _ := newMirror(t, storagetest.Open(t, storagetest.Redis(t)))
	p := d.place(ann, "ann", true)
	refreshed := func() *record.Run { return d.refreshed(dora, Request{Target: record.RunTarget{PlacementID: p.ID}}) }
	d.ends(refreshed(), "SUCCEEDED", map[string]string{"ann": "SUCCEEDED"})
	lose := func(who record.Actor, made bool, shows string) {
		t.Helper()
		d.place(who, "ann", false)
		d.books.lost, d.books.dropped = errors.New("connection reset"), !made
		refreshed()
		if d.books.lost, d.books.dropped = nil, false; d.holds("ann") != shows {
			t.Fatalf("the block shows %q, want %q", d.holds("ann"), shows)
		}
	}
	lose(bob, true, "2 [4]")
	lose(ann, false, "2 [4]")
	d.ends(refreshed(), "SUCCEEDED", map[string]string{"ann": "SUCCEEDED"})
	list, err := d.store.History().Changes(t.Context(), deskDeployment, d.reports[0], p.ID)
	if must(t, err); len(list) == 0 || list[0].RunAs != 0 {
		t.Errorf("what changed is told to user %+v", list)
	}
}

// What a person typed beside a row that left is not told to who placed the report, by the run that follows either.
func TestWhatStoodBesideALostWriteIsNotToldByTheNextRun(t *testing.T) {
	d, m := newMirror(t, storagetest.Open(t, storagetest.Redis(t)))
	d.books.shifts, m.double = 10, true
	c, err := d.store.Placements().Connect(t.Context(), deskDeployment, d.reports[0], placements.Connection{
		ExternalWorkbookID: "ann", ResultLocation: "Data!A1", FillRight: placements.Sent("B:B"),
		Options: placements.Options{ShiftRows: placements.Sent(true)},
	}, ann, nil, false)
	must(t, err)
	d.placeAlone(dora, "ann", true)
	refreshed := func() record.RunPlacement {
		t.Helper()
		return d.refreshed(dora, Request{Target: record.RunTarget{PlacementID: c.Placement.ID}}).Placements[0]
	}
	refreshed()
	d.books.enter("ann", 2, 1, checksum.Str("of dora"))
	m.double, d.books.lost, d.books.dropped = false, errors.New("connection reset"), true
	refreshed()
	m.double, d.books.lost, d.books.dropped = true, nil, false
	if o := refreshed(); len(o.Overwritten) != 1 || !o.OthersValues {
		t.Errorf("for ann the run keeps %+v, of others: %t", o.Overwritten, o.OthersValues)
	}
}

// Whoever may only read the report has no agent write its rows into a file of their choice.
func TestAnAgentOpensNoDocumentThatAReaderChose(t *testing.T) {
	d, m := newMirror(t, storagetest.Open(t, storagetest.Redis(t)))
	d.placeAlone(ann, "ann", false)
	d.ends(d.refreshed(dora, Request{}), "FAILED auth", map[string]string{"book": "SUCCEEDED", "ann": "FAILED auth"})
	if slices.Contains(m.asked, ann.ID) || d.books.count("ann") != [4]int{} {
		t.Errorf("asked for %v, the document was touched: %v", m.asked, d.books.count("ann"))
	}
}

func TestARunRefusesADocumentThatTheConfigurationDoesNotAllow(t *testing.T) {
	address := storagetest.Redis(t)
	d, m := newMirror(t, storagetest.Open(t, address))
	d.place(ann, "ann", true)
	bounded, err := storage.Open(t.Context(), storage.Config{
		Address: address, Documents: map[record.Deployment]placements.Documents{deskDeployment: {{Kind: placements.SheetsB, Documents: []string{"b*"}}}},
	})
	must(t, err)
	t.Cleanup(func() { must(t, bounded.Close()) })
	d.engine.useQueue(bounded.Work())
	d.ends(d.refreshed(dora, Request{}), "FAILED permanent", map[string]string{"book": "SUCCEEDED", "ann": "FAILED permanent"})
	if slices.Contains(m.asked, ann.ID) || d.books.count("ann") != [4]int{} {
		t.Errorf("asked for %v, the document was touched: %v", m.asked, d.books.count("ann"))
	}
}
