package web

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/placements/placementstest"
	"mooring/storage/record"
)

// The rows of placementstest, each through HTTP: on a report that has the placements of the row, and no other of the service.

// The ways to ask and to be answered, by the value of Prefer: a plain request is answered in full; one whose body is held to its shape in every
// key is answered minimally.
const (
	plainly   = "return=representation"
	minimally = "handling=strict, return=minimal"
)

var ways = []string{plainly, minimally}

func TestConnectByTheRules(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *api) {
		for _, tc := range placementstest.Connects() {
			t.Run(tc.Rule, func(t *testing.T) {
				for _, prefer := range ways {
					t.Run(prefer, func(t *testing.T) { a.moor(t, "", tc.Existing).connects(t, tc, prefer) })
				}
			})
		}
	})
}

// connects plays a row of connecting.
func (m *moored) connects(t *testing.T, tc placementstest.Connect, prefer string) {
	t.Helper()
	seeds := m.seeds(tc.Existing)
	before := m.read(t)
	before.wantShown(t, m.byAddress(t, seeds), ids(tc.Existing)...)

	var run *placements.LastRun
	if !tc.Want.Created {
		run = seeds[tc.Want.Index].LastRun
		seeds = slices.Delete(seeds, tc.Want.Index, tc.Want.Index+1)
	}
	connected := shown(tc.Want.Placement, run)
	want := m.byAddress(t, append(seeds, connected))
	known := append(ids(tc.Existing), tc.Connection.PlacementID)

	got := m.ask(t, "PUT", "/connect-workbook", tc.Connection, prefer)
	got.wantSameReport(t, before)
	if prefer != minimally {
		got.wantShown(t, want, known...)
	} else {
		got.wantShown(t, m.byAddress(t, []shownPlacement{connected}), known...)
	}
	marks := record.LastRefresh{Echo: record.Echo{
		ExternalWorkbookID: connected.WorkbookID, ResultLocation: connected.ResultLocation,
		EndResultCell: connected.EndResultCell, Host: connected.Host,
	}}
	if !tc.Connection.AddressOnly {
		marks = refreshedNow(marks)
	}
	got.wantMarks(t, marks)
	m.wantKept(t, want, got, documents(want, before.placements), known...)
}

func ids(list []placements.Placement) []string {
	ids := make([]string, len(list))
	for i, p := range list {
		ids[i] = p.ID
	}
	return ids
}

func TestTheHostOfAConnectByTheRules(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		for _, tc := range placementstest.Hosts() {
			t.Run(tc.Fact, func(t *testing.T) {
				s := placementstest.Stamp()
				s.DefaultHost = tc.Default
				want, err := placements.Connect(tc.Existing(), tc.Connection(), s)
				if err != nil || want.Placement.Host != tc.Want {
					t.Fatalf("the row itself gives %+v, %v", want, err)
				}
				row := placementstest.Connect{Existing: tc.Existing(), Connection: tc.Connection(), Want: want}
				a.moor(t, tc.Default, tc.Existing()).connects(t, row, plainly)
			})
		}
	})
}

func TestChecksumsAreEchoedAsSent(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *api) {
		for _, tc := range placementstest.Checksums() {
			t.Run(tc.Fact, func(t *testing.T) {
				want, err := placements.Connect(nil, tc.Sent(), placementstest.Stamp())
				if err != nil || want.Placement.ResultChecksum != tc.Sum {
					t.Fatalf("the row itself gives %+v, %v", want, err)
				}
				t.Run("by a connect", func(t *testing.T) {
					a.moor(t, "", nil).connects(t, placementstest.Connect{Connection: tc.Sent(), Want: want}, plainly)
				})
				t.Run("by a rewrite", func(t *testing.T) {
					p := placementstest.Rewritten()
					a.moor(t, "", []placements.Placement{p}).rewrites(t, []placements.Placement{p}, tc.Rewritten(), 0)
				})
			})
		}
	})
}

// refuses plays a connect that is refused.
func (m *moored) refuses(t *testing.T, c placements.Connection, status int, code placements.Code, faults map[string]string) {
	t.Helper()
	before := m.read(t)
	for _, prefer := range ways {
		m.wantRefusal(t, m.ask(t, "PUT", "/connect-workbook", c, prefer), before, status, code, faults)
	}
}

func TestConnectRefusesByTheRules(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *api) {
		for _, tc := range placementstest.Refusals() {
			t.Run(tc.Rule, func(t *testing.T) {
				a.moor(t, "", tc.Existing).refuses(t, tc.Connection, http.StatusBadRequest, tc.Code, tc.Faults)
			})
		}
	})
}

func TestConnectRefusesATakenAddressByTheRules(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		for _, tc := range placementstest.TakenAddresses() {
			t.Run(tc.Rule, func(t *testing.T) {
				a.moor(t, "", tc.Existing).refuses(t, tc.Connection, http.StatusConflict, placements.CodeAddressTaken, nil)
			})
		}
	})
}

func TestConnectRefusesATakenIDByTheRules(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		for _, tc := range placementstest.TakenIDs() {
			t.Run(tc.Rule, func(t *testing.T) {
				a.moor(t, "", []placements.Placement{tc.Elsewhere})
				a.moor(t, "", tc.Existing).refuses(t, tc.Connection, http.StatusConflict, placements.CodeIDTaken, nil)
			})
		}
	})
}

// A connect that moves another person's placement needs edit access (decisions.md §3); both are callers with the user of the rows.
func TestMovingAnotherPersonsPlacementByTheRules(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		for _, tc := range placementstest.OthersPlacements() {
			t.Run(tc.Rule, func(t *testing.T) {
				m := a.moor(t, "", tc.Existing)
				m.refuses(t, tc.Connection, http.StatusForbidden, placements.CodeForbidden, nil)
				w := m.send(step{method: "PUT", path: m.path + "/connect-workbook", as: editor, body: sent(t, tc.Connection)})
				for _, p := range m.parse(t, w).placements {
					if diff := cmp.Diff(placementstest.Stamp().By, p.Behalf()); diff != "" {
						t.Errorf("runAs of what was moved with edit access (-want +got):\n%s", diff)
					}
				}
				if w.Code != http.StatusOK {
					t.Errorf("with edit access: %d %s", w.Code, w.Body)
				}
			})
		}
		for _, tc := range append(placementstest.OthersSheets(), placementstest.OthersOptions()...) {
			t.Run(tc.Rule, func(t *testing.T) {
				m := a.moor(t, "", tc.Existing)
				m.refuses(t, tc.Connection, http.StatusForbidden, placements.CodeForbidden, nil)
				w := m.send(step{method: "PUT", path: m.path + "/connect-workbook", as: editor, body: sent(t, tc.Connection)})
				if w.Code != http.StatusOK {
					t.Errorf("with edit access: %d %s", w.Code, w.Body)
				}
			})
		}
	})
}

func TestConnectTakesAFreeIDByTheRules(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		for _, tc := range placementstest.FreeIDs() {
			t.Run(tc.Rule, func(t *testing.T) {
				a.moor(t, "", []placements.Placement{tc.Elsewhere})
				m := a.moor(t, "", tc.Existing)
				for _, prefer := range ways {
					if got := m.ask(t, "PUT", "/connect-workbook", tc.Connection, prefer); got.status != 200 {
						t.Errorf("%s: %s", prefer, got.text)
					}
				}
			})
		}
	})
}

// The spreadsheet keys of a report's own body record what the rows say, and only those of an object that is no longer one read back.
func TestSpreadsheetKeysByTheRules(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		for _, tc := range placementstest.Declares() {
			t.Run(tc.Rule, func(t *testing.T) { a.moor(t, "", tc.Existing).declares(t, tc) })
		}
	})
}

// declares plays a row of declaring, by a caller who may edit the report.
func (m *moored) declares(t *testing.T, tc placementstest.Declared) {
	t.Helper()
	before := m.read(t)
	for _, key := range []string{"externalWorkbookPlacements", "id", "createdAt"} { // which only an object has that was read
		got := m.update(t, tc.Keys, key)
		if after := m.read(t); got.status != 200 || after.text != before.text {
			t.Errorf("an object with %s, read back, changed\n%s\nto\n%s", key, before.text, after.text)
		}
	}
	seeds := m.seeds(tc.Existing)
	var run *placements.LastRun
	if !tc.Want.Created {
		run = seeds[tc.Want.Index].LastRun
		seeds = slices.Delete(seeds, tc.Want.Index, tc.Want.Index+1)
	}
	p := tc.Want.Placement
	if !tc.Changed {
		p = tc.Existing[tc.Want.Index]
	}
	want := m.byAddress(t, append(seeds, shown(p, run)))
	got := m.update(t, tc.Keys)
	if got.status != 200 || got.version != before.version {
		t.Fatalf("status %d, version %s after %s: %s", got.status, got.version, before.version, got.text)
	}
	got.wantShown(t, want, ids(tc.Existing)...)
	after := m.read(t)
	if diff := cmp.Diff(got.placements, after.placements); diff != "" {
		t.Errorf("placements (-answered +read):\n%s", diff)
	}
	if !tc.Changed && after.text != before.text {
		t.Errorf("what changes nothing changed\n%s\nto\n%s", before.text, after.text)
	}
	if again := m.update(t, tc.Keys); again.text != got.text {
		t.Errorf("the same keys again changed\n%s\nto\n%s", got.text, again.text)
	}
}

// update sends the spreadsheet keys of c in an update of the report, beside other keys that are null.
func (m *moored) update(t *testing.T, c placements.Connection, others ...string) answer {
	t.Helper()
	body := strings.TrimSuffix(sent(t, c), "}")
	for _, key := range others {
		body += fmt.Sprintf(",%q:null", key)
	}
	start := time.Now().Truncate(time.Millisecond)
	out := m.parse(t, m.send(step{method: "PUT", path: m.path, as: editor, body: body + "}"}))
	out.start, out.end = start, time.Now()
	return out
}

func TestBadChecksumsAreRefusedByTheRules(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		for _, tc := range placementstest.BadChecksums() {
			t.Run(tc.Fact, func(t *testing.T) {
				m := a.moor(t, "", []placements.Placement{placementstest.Rewritten()})
				before := m.read(t)
				faults := placementstest.InChecksum(tc.Faults)
				m.refuses(t, tc.Sent(), http.StatusBadRequest, placements.CodeInvalid, faults)
				m.wantRefusal(t, m.ask(t, "PUT", "/refresh", tc.Rewritten()), before, http.StatusBadRequest, placements.CodeInvalid, faults)
			})
		}
	})
}

func TestDisconnectByTheRules(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *api) {
		for _, tc := range placementstest.Targets() {
			t.Run(tc.Rule, func(t *testing.T) {
				for _, prefer := range ways {
					t.Run(prefer, func(t *testing.T) { a.moor(t, "", placementstest.Moored()).disconnects(t, tc, prefer) })
				}
			})
		}
	})
}

// disconnects plays a row of addressing a placement, twice: the second time it is gone.
func (m *moored) disconnects(t *testing.T, tc placementstest.TargetCase, prefer string) {
	t.Helper()
	left := m.seeds(placementstest.Moored())
	before := m.read(t)
	before.wantShown(t, m.byAddress(t, left), ids(placementstest.Moored())...)
	all := documents(before.placements)
	if tc.Want >= 0 {
		left = slices.Delete(left, tc.Want, tc.Want+1)
	}
	want := m.byAddress(t, left)

	got := m.ask(t, "DELETE", "/connect-workbook", tc.Target, prefer)
	got.wantSameReport(t, before)
	got.wantMarks(t, before.marks)
	got.wantRemoved(t, tc.Want)
	if prefer != minimally {
		got.wantShown(t, want, ids(placementstest.Moored())...)
	} else {
		got.wantShown(t, m.byAddress(t, nil))
	}
	m.wantKept(t, want, got, all, ids(placementstest.Moored())...)
	if tc.Target.ResultLocation != "" || prefer == minimally {
		return // of a location, what is left may be what it means now
	}
	again := m.ask(t, "DELETE", "/connect-workbook", tc.Target, prefer)
	again.wantRemoved(t, -1)
	m.wantKept(t, want, again, all, ids(placementstest.Moored())...)
}

// wantRemoved checks removedPlacement: that of Moored at index, or null.
func (a answer) wantRemoved(t *testing.T, index int) {
	t.Helper()
	if index < 0 {
		if a.removed != "null" {
			t.Errorf("removedPlacement %s, want null", a.removed)
		}
		return
	}
	var removed placements.Placement
	exactly(t, []byte(a.removed), &removed)
	if diff := cmp.Diff(placementstest.Moored()[index], removed); diff != "" {
		t.Errorf("removedPlacement (-want +got):\n%s", diff)
	}
}

// A rewrite addresses a placement as a disconnect does (decisions.md §6).
func TestRewriteAddressesByTheRules(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *api) {
		for _, tc := range placementstest.Targets() {
			t.Run(tc.Rule, func(t *testing.T) {
				a.moor(t, "", placementstest.Moored()).rewrites(t, placementstest.Moored(), placements.Rewrite{Target: tc.Target}, tc.Want)
			})
		}
	})
}

func TestRewriteByTheRules(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		for _, tc := range placementstest.Rewrites() {
			t.Run(tc.Rule, func(t *testing.T) {
				w := tc.Rewrite
				w.PlacementID = tc.Placement.ID
				if got, err := placements.Refreshed(tc.Placement, w, placementstest.Stamp()); err != nil || cmp.Diff(tc.Want, got) != "" {
					t.Fatalf("the row itself gives %+v, %v", got, err)
				}
				a.moor(t, "", []placements.Placement{tc.Placement}).rewrites(t, []placements.Placement{tc.Placement}, w, 0)
			})
		}
	})
}

// rewrites plays a rewrite of the existing placement at index, or of none when that is negative.
func (m *moored) rewrites(t *testing.T, existing []placements.Placement, w placements.Rewrite, index int) {
	t.Helper()
	seeds := m.seeds(existing)
	before := m.read(t)
	before.wantShown(t, m.byAddress(t, seeds), ids(existing)...)
	if index >= 0 {
		p, err := placements.Refreshed(existing[index], w, placementstest.Stamp())
		if err != nil {
			t.Fatal(err)
		}
		seeds[index] = shown(p, seeds[index].LastRun)
	}
	want := m.byAddress(t, seeds)
	got := m.ask(t, "PUT", "/refresh", w)
	got.wantSameReport(t, before)
	got.wantShown(t, want, ids(existing)...)
	got.wantMarks(t, refreshedNow(before.marks))
	m.wantKept(t, want, got, documents(want), ids(existing)...)
}

func TestRewriteRefusesByTheRules(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		for _, tc := range placementstest.RewriteRefusals() {
			t.Run(tc.Fact, func(t *testing.T) {
				p := placementstest.Rewritten()
				m := a.moor(t, "", []placements.Placement{p})
				before := m.read(t)
				w := tc.Rewrite
				w.PlacementID = p.ID
				m.wantRefusal(t, m.ask(t, "PUT", "/refresh", w), before, http.StatusBadRequest, placements.CodeAddress, tc.Faults)
				if tc.Alone {
					w.PlacementID = "nobody's"
					m.wantRefusal(t, m.ask(t, "PUT", "/refresh", w), before, http.StatusBadRequest, placements.CodeAddress, tc.Faults)
				}
			})
		}
	})
}

func TestSyncStatusByTheRules(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *api) {
		for _, tc := range placementstest.Transitions() {
			t.Run(tc.Fact, func(t *testing.T) { a.moor(t, "", nil).transits(t, tc) })
		}
	})
}

// transits plays a row of syncStatus: the report's query is edited by real updates, and writes nothing to the placement.
func (m *moored) transits(t *testing.T, tc placementstest.Transition) {
	t.Helper()
	p := shownPlacement{tc.Placement(), tc.Want, tc.Run}
	for _, query := range slices.Compact(append([]string{"q2", "q1"}, tc.Queries[0])) {
		m.edit(t, query)
	}
	m.record(t, p)
	for _, query := range tc.Queries[1:] {
		m.edit(t, query)
	}
	want := m.byAddress(t, []shownPlacement{p})
	got := m.parse(t, m.send(step{method: "GET", path: m.path, as: reader}))
	if diff := cmp.Diff(want, got.placements); diff != "" {
		t.Errorf("the report shows (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, m.byAddress(t, m.list(t, p.WorkbookID))); diff != "" {
		t.Errorf("the spreadsheet lists (-want +got):\n%s", diff)
	}
}

// edit gives the report the query whose checksum the rows call by that name.
func (m *moored) edit(t *testing.T, query string) {
	t.Helper()
	var r struct{ CurrentQueryChecksum string }
	decodeInto(t, m.bare.send(step{method: "PUT", path: m.path, body: `{"sqlQuery":"SELECT '` + query + `'"}`}), &r)
	if was, seen := m.queries[query]; seen && was != r.CurrentQueryChecksum {
		t.Errorf("query %s has checksum %s now, before %s", query, r.CurrentQueryChecksum, was)
	}
	m.queries[query] = r.CurrentQueryChecksum
}

func TestOverlapsByTheRules(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		for _, tc := range placementstest.Overlaps() {
			if _, ok := tc.Other.Address(); !ok {
				continue // no storage takes it
			}
			t.Run(tc.Fact, func(t *testing.T) { a.overlaps(t, tc.Other, placementstest.Base(), tc.Want) })
			t.Run(tc.Fact+", the other way round", func(t *testing.T) { a.overlaps(t, placementstest.Base(), tc.Other, tc.Want) })
		}
	})
}

// overlaps connects a report where placed stands, another report's placement that was there before, and looks whether the answer lists that.
func (a *api) overlaps(t *testing.T, there, placed placements.Placement, want bool) {
	t.Helper()
	older, m := a.moor(t, "", []placements.Placement{there}), a.moor(t, "", nil)
	before := older.read(t)
	got := m.ask(t, "PUT", "/connect-workbook", placements.Connection{
		ExternalWorkbookID: placed.WorkbookID, SheetName: placed.SheetName, ResultLocation: placed.AnchorCell, EndResultCell: placed.EndResultCell,
	})
	var items []json.RawMessage
	exactly(t, []byte(got.overlaps), &items)
	listed := m.byAddress(t, m.listed(t, older.id, items))
	if !want {
		maps.DeleteFunc(before.placements, func(string, shownPlacement) bool { return true })
	}
	if diff := cmp.Diff(before.placements, listed); diff != "" {
		t.Errorf("overlaps (-want +got):\n%s", diff)
	}
	if after := older.read(t); after.text != before.text {
		t.Errorf("the connect changed the older report from\n%s\nto\n%s", before.text, after.text)
	}
}
