package portable_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/record/portable"
)

// Each row changes a server that has the whole bundle applied, or the bundle, and says what the next plan does.
func TestPlanAfterAnApply(t *testing.T) {
	const report, board, place, daily = "report:SalesRegion1", "workbook:board", "placement:board.xlsx/Data!A1", "schedule:daily"
	type plan = map[string]portable.Action
	unchanged := plan{report: "unchanged", board: "unchanged", place: "unchanged", daily: "unchanged"}
	but := func(changed plan) plan {
		want := plan{}
		for name, a := range unchanged {
			want[name] = a
		}
		for name, a := range changed {
			want[name] = a
		}
		return want
	}
	other := &placements.ManagedBy{Project: "sales"}
	for _, row := range []struct {
		name string
		on   func(s *server, b *portable.Bundle)
		want plan
		says string // in the message, changes or drift of the asset that is not unchanged
	}{
		{name: "nothing changed", on: func(*server, *portable.Bundle) {}, want: unchanged},
		{
			name: "the file changed", want: but(plan{report: "update"}), says: `"pointer":"/sqlQuery","before":"SELECT 1","after":"SELECT 2"`,
			on: func(_ *server, b *portable.Bundle) {
				b.Assets[0] = asset(t, "report", salesID, `{"name":"Sales","sqlQuery":"SELECT 2"}`)
			},
		},
		{
			name: "a query that changes names the spreadsheets", want: but(plan{report: "update"}), says: `"documents":["board.xlsx"]`,
			on: func(_ *server, b *portable.Bundle) {
				b.Assets[0] = asset(t, "report", salesID, `{"name":"Sales","sqlQuery":"SELECT 2"}`)
			},
		},
		{
			name: "the server changed", want: but(plan{report: "update"}),
			says: `"drift":{"by":"bob@example.com","at":"2026-11-22T08:00:00.000Z","pointers":["/name"]}`,
			on: func(s *server, _ *portable.Bundle) {
				r := s.held.Reports[salesID]
				r.Name, r.UpdatedBy, r.UpdatedAt = "Hand-made", new(bob.User()), "2026-11-22T08:00:00.000Z"
			},
		},
		{
			name: "the server changed what the file leaves out", want: but(plan{report: "update"}),
			says: `"changes":[{"pointer":"/title","before":"Hand-made","after":""}],"drift":{"by":"bob@example.com","at":"2026-11-22T07:00:00.000Z","pointers":["/title"]}`,
			on: func(s *server, _ *portable.Bundle) {
				s.held.Reports[salesID].Title, s.held.Reports[salesID].UpdatedBy = "Hand-made", new(bob.User())
			},
		},
		{
			name: "access granted by hand", want: but(plan{report: "update"}), says: `"pointers":["/access"]`,
			on: func(s *server, _ *portable.Bundle) {
				s.held.Reports[salesID].RolesWithAccess = []record.RoleAccess{{ID: 12, Name: "viewers", Actions: []string{"ReportRead"}}}
			},
		},
		{
			name: "a dashboard's workbook moved, a placement's option set, a schedule paused by hand",
			want: but(plan{board: "update", place: "update", daily: "update"}),
			says: `"drift":{"pointers":["/onEdit","/statusCell"]}`,
			on: func(s *server, _ *portable.Bundle) {
				s.held.Workbooks["board"].FolderID = new(int64(7))
				p := &s.held.Reports[salesID].Placements[0]
				p.StatusCell, p.OnEdit = "F1", placements.Sent(placements.Stop)
				s.held.Schedules["daily"].Paused = true
			},
		},
		{
			name: "a schedule that the service paused", want: unchanged,
			on: func(s *server, _ *portable.Bundle) {
				s.held.Schedules["daily"].Paused, s.held.Schedules["daily"].PausedReason = true, "Five ticks in a row failed."
			},
		},
		{
			name: "the file says by now what the server has", want: unchanged,
			on: func(s *server, b *portable.Bundle) {
				s.held.Reports[salesID].Title = "Hand-made"
				b.Assets[0] = asset(t, "report", salesID, `{"name":"Sales","sqlQuery":"SELECT 1","title":"Hand-made"}`)
			},
		},
		{
			name: "a member that the file has no longer", want: but(plan{report: "update"}),
			says: `"changes":[{"pointer":"/sqlQuery","before":"SELECT 1","after":""}],"managedBy"`,
			on:   func(_ *server, b *portable.Bundle) { b.Assets[0] = asset(t, "report", salesID, `{"name":"Sales"}`) },
		},
		{
			name: "a member of meta that the file has no longer", want: but(plan{board: "update"}),
			says: `"changes":[{"pointer":"/meta/team/a","before":1}],"managedBy"`,
			on: func(s *server, b *portable.Bundle) {
				_ = s.held.Workbooks["board"].SetMeta(json.RawMessage(`{"team":{"b":2,"a":1},"dashboardDraft":{"widgets":[
					{"type":"CHART","config":{"reportId":1},"id":"w"}]}}`))
				b.Assets[1] = asset(t, "workbook", "board", strings.Replace(boardDef, `"meta":{"team":{"a":1}},`, "", 1))
			},
		},
		{
			name: "a record that did not keep what files leave out", want: unchanged,
			on: func(s *server, _ *portable.Bundle) {
				for _, one := range s.applied {
					one.Unsaid = nil
				}
				s.held.Reports[salesID].Title, s.held.Workbooks["board"].FolderID = "Hand-made", new(int64(7))
			},
		},
		{
			name: "deleted by hand comes back as it was", want: plan{report: "create"}, says: `"pointer":"/title","after":"Yearly"`,
			on: func(s *server, b *portable.Bundle) {
				delete(s.held.Reports, salesID)
				s.applied["report:SalesRegion1"].Unsaid["title"] = "Yearly"
				b.Assets = b.Assets[:1]
				clear(s.held.Schedules)
				clear(s.held.Workbooks)
			},
		},
		{
			name: "protected from now on", want: but(plan{report: "update"}), says: `"changes":[{"pointer":"/protect","after":true}]`,
			on: func(_ *server, b *portable.Bundle) { b.Assets[0].Protect = true },
		},
		{
			name: "protected no longer", want: but(plan{place: "update"}), says: `"changes":[{"pointer":"/protect","before":true}]`,
			on: func(s *server, b *portable.Bundle) {
				b.Assets[2].Protect = true
				s.apply(t, b)
				b.Assets[2].Protect = false
			},
		},
		{
			name: "a pivot with a default written out", want: unchanged,
			on: func(s *server, b *portable.Bundle) {
				pivoted := strings.Replace(someSQL, "}", `,"pivotItems":{"rows":["a"],"columns":[],"measures":[],"filters":[]}}`, 1)
				b.Assets[0] = asset(t, "report", salesID, pivoted)
				s.apply(t, b)
				s.held.Reports[salesID].PivotItems.DisplayScale = "model"
			},
		},
		{
			name: "numbers of one value in other writings", want: unchanged,
			on: func(s *server, b *portable.Bundle) {
				meta := func(numbers string) portable.Asset {
					return asset(t, "report", salesID, strings.Replace(someSQL, "}", `,"meta":{"n":`+numbers+`}}`, 1))
				}
				b.Assets[0] = meta(`[1e-7,-0.0,123456789012345680.0]`)
				s.apply(t, b)
				b.Assets[0] = meta(`[0.0000001,0,1.2345678901234568e17]`)
			},
		},
		{
			name: "both changed to the same", want: unchanged,
			on: func(s *server, b *portable.Bundle) {
				s.held.Reports[salesID].Name = "New"
				b.Assets[0] = asset(t, "report", salesID, `{"name":"New","sqlQuery":"SELECT 1"}`)
			},
		},
		{
			name: "a member of meta that the file has changed by hand", want: but(plan{board: "update"}), says: `"pointers":["/meta/team/a"]`,
			on: func(s *server, _ *portable.Bundle) {
				_ = s.held.Workbooks["board"].SetMeta(json.RawMessage(`{"team":{"a":2},"dashboardDraft":{"widgets":[
					{"id":"w","type":"CHART","config":{"reportId":1}}]}}`))
			},
		},
		{
			name: "a member of meta that the file does not have, and a chart spelled otherwise", want: unchanged,
			on: func(s *server, _ *portable.Bundle) {
				_ = s.held.Workbooks["board"].SetMeta(json.RawMessage(`{"x":1,"team":{"b":2,"a":1},"dashboardDraft":{"widgets":[
					{"type":"CHART","config":{"reportId":1},"id":"w"}]}}`))
			},
		},
		{
			name: "deleted by hand", want: but(plan{daily: "create"}), says: `"deleted":{"by":"bob@example.com","at":"2026-11-22T08:00:00.000Z"}`,
			on: func(s *server, _ *portable.Bundle) {
				delete(s.held.Schedules, "daily")
				s.applied["schedule:daily"].Deleted = &portable.Deletion{By: "bob@example.com", At: "2026-11-22T08:00:00.000Z"}
			},
		},
		{
			name: "a placement moved by hand moves back", want: but(plan{place: "update", daily: "update"}),
			says: `"pointer":"/anchor","before":"C5","after":"A1"`,
			on: func(s *server, _ *portable.Bundle) {
				p := &s.held.Reports[salesID].Placements[0]
				p.AnchorCell, p.ResultLocation = "C5", "Data!C5"
			},
		},
		{
			name: "a status cell", want: but(plan{place: "update"}), says: `"pointer":"/statusCell","after":"C1"`,
			on: func(_ *server, b *portable.Bundle) {
				b.Assets[2] = asset(t, "placement", "board.xlsx/Data!A1", strings.Replace(placeDef, "}", `,"statusCell":"$c$1"}`, 1))
			},
		},
		{
			name: "placed by a reader where the file has it", want: but(plan{place: "update"}),
			says: `"changes":[{"pointer":"/placer","before":"reader","after":"editor"}],"managedBy"`,
			on: func(s *server, _ *portable.Bundle) {
				s.held.Reports[salesID].Placements[0].Placer = placements.PlacedByReader
			},
		},
		{
			name: "placed by a reader, of no project yet, and protected", want: but(plan{place: "adopt"}),
			says: `"changes":[{"pointer":"/placer","before":"reader","after":"editor"},{"pointer":"/protect","after":true}]`,
			on: func(s *server, b *portable.Bundle) {
				p := &s.held.Reports[salesID].Placements[0]
				p.Placer, p.ManagedBy, b.Assets[2].Protect = placements.PlacedByReader, nil, true
			},
		},
		{
			name: "placed by a reader where nothing may be placed any more", want: unchanged,
			on: func(s *server, _ *portable.Bundle) {
				s.held.Reports[salesID].Placements[0].Placer = placements.PlacedByReader
				s.documents = placements.Documents{{Kind: s.held.Reports[salesID].Placements[0].Host, Documents: []string{"other.xlsx"}}}
			},
		},
		{
			name: "columns to fill", want: but(plan{place: "update"}), says: `"pointer":"/fillRight","after":"F:H"`,
			on: func(_ *server, b *portable.Bundle) {
				b.Assets[2] = asset(t, "placement", "board.xlsx/Data!A1", strings.Replace(placeDef, "}", `,"fillRight":"$f:$h"}`, 1))
			},
		},
		{
			name: "rows that shift", want: but(plan{place: "update"}), says: `"pointer":"/shiftRows","after":true`,
			on: func(_ *server, b *portable.Bundle) {
				b.Assets[2] = asset(t, "placement", "board.xlsx/Data!A1", strings.Replace(placeDef, "}", `,"shiftRows":true}`, 1))
			},
		},
		{
			name: "columns to fill inside the block", want: but(plan{place: "conflict"}), says: "does not lie to the right of the block",
			on: func(s *server, b *portable.Bundle) {
				s.held.Reports[salesID].Placements[0].EndResultCell = "C9"
				b.Assets[2] = asset(t, "placement", "board.xlsx/Data!A1", strings.Replace(placeDef, "}", `,"fillRight":"C:D"}`, 1))
			},
		},
		{
			name: "a status cell inside the block", want: but(plan{place: "conflict"}), says: "lies inside the block of the report itself",
			on: func(s *server, b *portable.Bundle) {
				s.held.Reports[salesID].Placements[0].EndResultCell = "C9"
				b.Assets[2] = asset(t, "placement", "board.xlsx/Data!A1", strings.Replace(placeDef, "}", `,"statusCell":"C1"}`, 1))
			},
		},
		{
			name: "a report in row 1 is to show its filters", want: but(plan{report: "update"}), says: `"pointer":"/pivotItems"`,
			on: func(_ *server, b *portable.Bundle) { b.Assets[0] = asset(t, "report", salesID, withFilters) },
		},
		{
			name: "one that shows its filters is placed in row 1", want: but(plan{report: "update", "placement:board.xlsx/Data!K1": "conflict"}),
			says: "row 1 has none above it",
			on: func(_ *server, b *portable.Bundle) {
				b.Assets[0] = asset(t, "report", salesID, withFilters)
				b.Assets = append(b.Assets, asset(t, "placement", "board.xlsx/Data!K1", strings.Replace(placeDef, `"A1"`, `"K1"`, 1)))
			},
		},
		{
			name: "managed by another project", want: but(plan{report: "conflict"}), says: "the project sales manages it",
			on: func(s *server, _ *portable.Bundle) { s.held.Reports[salesID].ManagedBy = other },
		},
		{
			name: "taken over", want: but(plan{report: "adopt"}), says: `"managedBy":{"project":"sales"`,
			on: func(s *server, b *portable.Bundle) {
				s.held.Reports[salesID].ManagedBy, b.TakeOver = other, []string{report}
			},
		},
		{
			name: "managed by none any more", want: but(plan{board: "adopt"}),
			on: func(s *server, _ *portable.Bundle) { s.held.Workbooks["board"].ManagedBy = nil },
		},
		{
			name: "managed by none and different", want: but(plan{report: "update"}), says: `"pointer":"/name"`,
			on: func(s *server, _ *portable.Bundle) {
				s.held.Reports[salesID].ManagedBy, s.held.Reports[salesID].Name = nil, "Hand-made"
			},
		},
		{
			name: "the publicId of another deployment", want: but(plan{report: "conflict"}), says: "belongs to another deployment",
			on: func(s *server, _ *portable.Bundle) {
				s.held.Refused[salesID] = placements.Errorf(placements.CodeElsewhere, "it belongs to another deployment")
			},
		},
		{
			name: "a source that is fixed", want: but(plan{report: "conflict"}), says: "cannot be changed",
			on: func(_ *server, b *portable.Bundle) {
				b.Assets[0] = asset(t, "report", salesID, `{"name":"Sales","sqlQuery":"SELECT 1","source":"D3"}`)
			},
		},
		{
			name: "less in the bundle is not deleted", want: plan{report: "unchanged", board: "kept", place: "kept", daily: "kept"},
			says: `"ref":"daily","name":"Daily","report":"SalesRegion1","action":"kept","managedBy":{"project":"finance","appliedAt":"2026-11-22T07:00:00.000Z",` +
				`"revision":1},"message":"no file: --prune deletes it"`,
			on: func(_ *server, b *portable.Bundle) { b.Assets = b.Assets[:1] },
		},
		{
			name: "a placement that moves in its file leaves the block where it was", says: "no file: --prune deletes it",
			want: plan{report: "unchanged", board: "unchanged", place: "kept", "placement:board.xlsx/Data!C5": "create", daily: "unchanged"},
			on: func(_ *server, b *portable.Bundle) {
				b.Assets[2] = asset(t, "placement", "board.xlsx/Data!C5", strings.Replace(placeDef, "A1", "C5", 1))
			},
		},
		{
			name: "a chart of a report that is gone", want: plan{board: "unchanged", report: "kept", daily: "kept", place: "kept"},
			on: func(s *server, b *portable.Bundle) {
				chart := func(config string) json.RawMessage {
					return json.RawMessage(`{"widgets":[{"id":"w","type":"CHART","config":{` + config + `}}]}`)
				}
				_ = s.held.Workbooks["board"].SetMeta(json.RawMessage(`{"team":{"a":1},"dashboardDraft":` + string(chart(`"reportId":99`)) + `}`))
				*b = *bundle(asset(t, "workbook", "board", `{"name":"Board","meta":{"team":{"a":1}},"dashboard":`+string(chart(`"reportId":99`))+`}`))
			},
		},
		{
			name: "less in the bundle is deleted when asked", want: plan{report: "unchanged", board: "delete", place: "delete", daily: "delete"},
			says: `"kind":"workbook","ref":"board","name":"Board","action":"delete"`,
			on:   func(_ *server, b *portable.Bundle) { b.Assets, b.Prune = b.Assets[:1], &portable.Prune{} },
		},
		{
			name: "protected", want: plan{report: "unchanged", board: "kept", place: "delete", daily: "delete"}, says: "it is protected",
			on: func(s *server, b *portable.Bundle) {
				b.Assets, b.Prune = b.Assets[:1], &portable.Prune{}
				s.applied["workbook:board"].Protect = true
			},
		},
		{
			name: "a placement that a schedule of the bundle refreshes", says: "a schedule of the bundle",
			want: plan{report: "unchanged", place: "kept", daily: "unchanged", board: "unchanged"},
			on: func(_ *server, b *portable.Bundle) {
				b.Assets, b.Prune = []portable.Asset{b.Assets[0], b.Assets[1], b.Assets[3]}, &portable.Prune{}
			},
		},
		{
			name: "a report that the bundle still names", says: "still refers",
			want: plan{report: "kept", board: "unchanged", place: "unchanged", daily: "unchanged"},
			on:   func(_ *server, b *portable.Bundle) { b.Assets, b.Prune = b.Assets[1:], &portable.Prune{} },
		},
		{
			name: "a report placed by hand elsewhere", says: "it is placed at board.xlsx/Data!F9",
			want: plan{"workbook:x": "create", report: "kept", board: "delete", place: "delete", daily: "delete"},
			on: func(s *server, b *portable.Bundle) {
				r := s.held.Reports[salesID]
				r.Placements = append(r.Placements, placements.Placement{ID: "hand", WorkbookID: "board.xlsx", SheetName: "Data", AnchorCell: "F9"})
				*b = *bundle(asset(t, "workbook", "x", `{}`))
				b.Prune = &portable.Prune{}
			},
		},
		{
			name: "a report placed by hand elsewhere, detached",
			want: plan{"workbook:x": "create", report: "delete", board: "delete", place: "delete", daily: "delete"},
			on: func(s *server, b *portable.Bundle) {
				r := s.held.Reports[salesID]
				r.Placements = append(r.Placements, placements.Placement{ID: "hand", WorkbookID: "board.xlsx", SheetName: "Data", AnchorCell: "F9"})
				*b = *bundle(asset(t, "workbook", "x", `{}`))
				b.Prune, b.Detach = &portable.Prune{}, true
			},
		},
		{
			name: "a report that a dashboard of others shows", says: "1 dashboards and 0 schedules use it",
			want: plan{"workbook:x": "create", report: "kept", board: "delete", place: "delete", daily: "delete"},
			on: func(s *server, b *portable.Bundle) {
				s.held.Reports[salesID].Uses = []portable.Use{
					{Kind: portable.KindWorkbook, ID: 99, Published: true}, {Kind: portable.KindWorkbook, ID: s.held.Workbooks["board"].ID},
				}
				*b = *bundle(asset(t, "workbook", "x", `{}`))
				b.Prune = &portable.Prune{}
			},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newServer()
			s.apply(t, whole(t))
			b := whole(t)
			row.on(s, b)
			p, _ := s.plan(t, b)
			if diff := cmp.Diff(row.want, actions(p)); diff != "" {
				t.Error(diff)
			}
			if text, _ := record.Encode(p); !strings.Contains(text, row.says) {
				t.Errorf("%s\ndoes not say %s", text, row.says)
			}
		})
	}
}

// Each row is a bundle that is refused, with the pointers and codes of its faults.
func TestBundleFaults(t *testing.T) {
	for _, row := range []struct {
		name   string
		assets []portable.Asset
		want   map[string]placements.Code
	}{
		{
			"a publicId of another shape",
			[]portable.Asset{asset(t, "report", "short", `{}`)},
			map[string]placements.Code{"/assets/0/ref": placements.CodePublicID},
		},
		{"a key of another shape", []portable.Asset{
			asset(t, "report", salesID, `{}`),
			asset(t, "schedule", "Daily!", `{"cron":["@daily"],"target":{"publicId":"SalesRegion1"}}`),
		}, map[string]placements.Code{"/assets/1/ref": placements.CodeInvalid}},
		{
			"two assets with one ref",
			[]portable.Asset{asset(t, "report", salesID, `{}`), asset(t, "report", salesID, `{}`)},
			map[string]placements.Code{"/assets/1/ref": placements.CodeAssetTwice},
		},
		{"two placements at one address in other words", []portable.Asset{
			asset(t, "report", salesID, `{}`),
			asset(t, "placement", "b.xlsx/Data!A1", `{"report":"SalesRegion1","document":"b.xlsx","sheet":"Data","anchor":"A1"}`),
			asset(t, "placement", "b.xlsx/DATA!A1", `{"report":"SalesRegion1","document":"b.xlsx","sheet":"DATA","anchor":"$a$1"}`),
		}, map[string]placements.Code{"/assets/2/ref": placements.CodeAssetTwice}},
		{"a ref that is not the address", []portable.Asset{
			asset(t, "report", salesID, `{}`),
			asset(t, "placement", "b.xlsx/Data!A2", `{"report":"SalesRegion1","document":"b.xlsx","sheet":"Data","anchor":"A1"}`),
		}, map[string]placements.Code{"/assets/1/ref": placements.CodeAddress}},
		{"reports that are nowhere", []portable.Asset{
			asset(t, "workbook", "board", boardDef), asset(t, "placement", "board.xlsx/Data!A1", placeDef), asset(t, "schedule", "daily", planDef),
		}, map[string]placements.Code{
			"/assets/0/definition/dashboard/widgets/0/config/reportPublicId": placements.CodeNoReport,
			"/assets/1/definition/report":                                    placements.CodeNoReport,
			"/assets/2/definition/target/publicId":                           placements.CodeNoReport,
		}},
		{
			"a schedule of a placement that is nowhere",
			[]portable.Asset{asset(t, "report", salesID, `{}`), asset(t, "schedule", "daily", planDef)},
			map[string]placements.Code{"/assets/1/definition/target/address": placements.CodeAddress},
		},
		{"a new schedule without times and target", []portable.Asset{asset(t, "schedule", "daily", `{"name":"x"}`)}, map[string]placements.Code{
			"/assets/0/definition/cron": placements.CodeCron, "/assets/0/definition/target": placements.CodeInvalid,
		}},
		{"a chart that names an id of this deployment", []portable.Asset{
			asset(t, "workbook", "board", `{"dashboard":{"widgets":[{"type":"CHART","config":{"reportId":1}}]}}`),
		}, map[string]placements.Code{"/assets/0/definition/dashboard/widgets/0/config/reportId": placements.CodeInvalid}},
		{"a chart that names nothing", []portable.Asset{
			asset(t, "workbook", "board", `{"dashboard":{"widgets":[{"type":"CHART","config":{}}]}}`),
		}, map[string]placements.Code{"/assets/0/definition/dashboard/widgets/0/config": placements.CodeInvalid}},
		{
			"a source that there is not",
			[]portable.Asset{asset(t, "report", salesID, `{"source":"LOTUS"}`)},
			map[string]placements.Code{"/assets/0/definition/source": placements.CodeInvalid},
		},
		{"a sheet's name that the host does not allow", []portable.Asset{
			asset(t, "report", salesID, `{}`),
			asset(t, "placement", "b.xlsx/a*b!A1", `{"report":"SalesRegion1","host":"SHEETS_B","document":"b.xlsx","sheet":"a*b","anchor":"A1"}`),
		}, map[string]placements.Code{"/assets/1/definition/sheet": placements.CodeAddress}},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, _, err := checked(newServer().planning(bundle(row.assets...)))
			got := map[string]placements.Code{}
			for _, d := range placements.DetailsOf(err) {
				got[d.Pointer] = d.Code
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Error(diff, err)
			}
		})
	}
}

// Each row is what a caller may not do by a plan.
func TestPlanRights(t *testing.T) {
	withAccess := `{"name":"Sales","sqlQuery":"SELECT 1","access":[{"id":7,"name":"viewers","actions":["ReportRead"]}]}`
	for _, row := range []struct {
		name   string
		who    record.Actor
		change func(b *portable.Bundle)
		want   []string // the assets that are refused
	}{
		{"an admin anything", admin, func(*portable.Bundle) {}, nil},
		{"a reader what stays as it is", reader, func(*portable.Bundle) {}, nil},
		{
			"a reader no change", reader, func(b *portable.Bundle) { b.Assets[0] = asset(t, "report", salesID, `{"name":"x"}`) },
			[]string{"report:SalesRegion1"},
		},
		{
			"a reader no creation", reader, func(b *portable.Bundle) { b.Assets[0] = asset(t, "report", costsID, `{}`) },
			[]string{"report:CostsByMonth"},
		},
		{"an editor a change", bob, func(b *portable.Bundle) { b.Assets = []portable.Asset{asset(t, "report", salesID, `{"name":"x"}`)} }, nil},
		{
			"an editor no access", bob, func(b *portable.Bundle) { b.Assets = []portable.Asset{asset(t, "report", salesID, withAccess)} },
			[]string{"report:SalesRegion1"},
		},
		{
			"a reader no protection", reader, func(b *portable.Bundle) {
				b.Assets[0].Protect, b.Assets[2].Protect, b.Assets[3].Protect = true, true, true
			},
			[]string{"report:SalesRegion1", "placement:board.xlsx/Data!A1", "schedule:daily"},
		},
		{"an editor of reports no workbook", bob, func(*portable.Bundle) {}, []string{"workbook:board"}},
		{
			"an editor of reports no deletion of a workbook",
			record.Actor{ID: 2, Actions: []string{record.ActionReportEdit, record.ActionWorkbookRead}},
			func(b *portable.Bundle) { b.Assets, b.Prune = b.Assets[:1], &portable.Prune{} },
			[]string{"workbook:board"},
		},
		{
			"a stranger not even what stays",
			record.Actor{ID: 9},
			func(b *portable.Bundle) { b.Assets = b.Assets[:1] },
			[]string{"report:SalesRegion1"},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, b := newServer(), whole(t)
			s.apply(t, whole(t))
			row.change(b)
			p := s.planning(b)
			p.Who = row.who
			_, _, err := checked(p)
			var got []string
			for _, d := range placements.DetailsOf(err) {
				name, _, _ := strings.Cut(d.Message, ": ")
				got = append(got, name)
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Error(diff, err)
			}
		})
	}
}

// The limit of a prune refuses the whole plan.
func TestPruneLimit(t *testing.T) {
	many := func(n int) *portable.Bundle {
		b := bundle()
		for i := range n {
			b.Assets = append(b.Assets, asset(t, "workbook", "w"+strings.Repeat("x", i), `{}`))
		}
		return b
	}
	for _, row := range []struct {
		name        string
		had, has    int
		limit       *portable.PruneLimit
		refusedWith placements.Code
	}{
		{"five of few", 6, 1, nil, ""},
		{"six of few", 7, 1, nil, placements.CodePruneLimit},
		{"a tenth of many", 60, 54, nil, ""},
		{"more than a tenth of many", 60, 53, nil, placements.CodePruneLimit},
		{"a number", 7, 1, &portable.PruneLimit{Number: 6}, ""},
		{"none", 7, 6, &portable.PruneLimit{}, placements.CodePruneLimit},
		{"a percentage", 10, 5, &portable.PruneLimit{Number: 50, Percent: true}, ""},
		{"more than a percentage", 10, 4, &portable.PruneLimit{Number: 50, Percent: true}, placements.CodePruneLimit},
		{"an empty bundle", 1, 0, nil, placements.CodePruneLimit},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newServer()
			s.apply(t, many(row.had))
			b := many(row.has)
			b.Prune = &portable.Prune{Limit: row.limit}
			if _, _, err := checked(s.planning(b)); placements.CodeOf(err) != row.refusedWith {
				t.Errorf("got %v, want %q", err, row.refusedWith)
			}
		})
	}
}

// A plan that is made again does the same until something that it changes is changed.
func TestPlanIsStale(t *testing.T) {
	s, b := newServer(), whole(t)
	s.apply(t, whole(t))
	b.Assets[0] = asset(t, "report", salesID, `{"name":"New","sqlQuery":"SELECT 1"}`)
	first, _ := s.plan(t, b)
	if again, _ := s.plan(t, b); first.Stale(again) != nil {
		t.Error("a plan made again is stale")
	}
	s.held.Reports[salesID].Name, s.held.Reports[salesID].UpdatedBy = "By hand", new(bob.User())
	now, _ := s.plan(t, b)
	err := first.Stale(now)
	if details := placements.DetailsOf(err); placements.CodeOf(err) != placements.CodePlanStale || len(details) != 1 ||
		!strings.Contains(details[0].Message, "report:SalesRegion1: would change otherwise than was planned, changed by bob@example.com") {
		t.Errorf("%v %v", err, details)
	}
}

// A role whose name a grant by hand left out is the one of that id, and who changed a schedule is not who owns it.
func TestPlanOfWhatWasChangedByHand(t *testing.T) {
	s := newServer()
	granted := asset(t, "report", salesID, `{"name":"Sales","sqlQuery":"SELECT 1","access":[{"id":7,"name":"viewers","actions":["ReportRead"]}]}`)
	b := whole(t)
	b.Assets[0] = granted
	s.apply(t, b)
	s.held.Reports[salesID].RolesWithAccess[0].Name = ""
	for _, c := range s.held.Schedules {
		c.Paused, c.UpdatedBy = !c.Paused, new(bob.User())
	}
	p, _ := s.plan(t, b)
	for _, one := range p.Assets {
		switch {
		case one.Kind == portable.KindReport && one.Action != portable.ActionUnchanged:
			t.Errorf("%+v", one)
		case one.Kind == portable.KindSchedule && (one.Drift == nil || one.Drift.By != "bob@example.com"):
			t.Errorf("the drift of the schedule is %+v", one.Drift)
		}
	}
}

// A plan hides what its reader may not see.
func TestPlanForAReader(t *testing.T) {
	s := newServer()
	p := s.apply(t, whole(t))
	for _, row := range []struct {
		name string
		who  record.Actor
		want int
	}{{"admin", admin, 4}, {"reader", reader, 4}, {"a reader of reports", bob, 3}, {"a stranger", record.Actor{ID: 9}, 0}} {
		if got := p.For(row.who, admin.ID, &s.held); len(got.Assets) != row.want || got.Summary != p.Summary {
			t.Errorf("%s: %+v", row.name, got)
		}
	}
}

// A name in takeOver or adopt that is of no asset of the bundle is a slip, and told.
func TestNamesOfNoAssetAreRefused(t *testing.T) {
	s, b := newServer(), whole(t)
	s.apply(t, whole(t))
	b.TakeOver = []string{"workbook:board", "report:SalesRegion2"}
	b.Adopt = []string{"report:#1", "report:#17", "report:SalesRegion1"}
	_, _, err := checked(s.planning(b))
	var got []string
	for _, d := range placements.DetailsOf(err) {
		got = append(got, d.Pointer+" "+d.Message)
	}
	const why = " is no asset of the bundle: name one that it has, or leave this out"
	want := []string{"/adopt/1 report:#17" + why, "/takeOver/1 report:SalesRegion2" + why}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Where the configuration lets nothing be placed, a plan does not ask whether a reader's placement is to be vouched for, and does not do it.
func TestAPlanVouchesForNothingThatItDoesNotShow(t *testing.T) {
	for _, allowed := range []string{"other.xlsx", "board.xlsx"} {
		s, b := newServer(), whole(t)
		s.apply(t, b)
		p := &s.held.Reports[salesID].Placements[0]
		p.Placer, p.ManagedBy = placements.PlacedByReader, nil
		s.documents = placements.Documents{{Kind: p.Host, Documents: []string{allowed}}}
		plan, w := s.plan(t, b)
		shown := slices.ContainsFunc(plan.Assets, func(a portable.PlannedAsset) bool { return len(a.Changes) > 0 })
		if len(w.Placements) != 1 || w.Placements[0].Action != portable.ActionAdopt ||
			shown != (allowed == "board.xlsx") || shown != (w.Placements[0].Placement.Placer == placements.PlacedByEditor) {
			t.Errorf("with %s allowed the plan shows %+v and writes %+v", allowed, plan.Assets, w.Placements)
		}
	}
}

// Whether an asset is protected is kept although nothing else of it changes, and decides what a prune does.
func TestProtectionIsApplied(t *testing.T) {
	s, b := newServer(), whole(t)
	s.apply(t, b)
	b.Assets[1].Protect = true
	p, w := s.plan(t, b)
	if len(w.Workbooks) > 0 || len(w.Applied) != 1 || p.Summary.Update != 1 {
		t.Errorf("%+v writes %+v", p.Summary, w)
	}
	s.apply(t, b)
	if again, _ := s.plan(t, b); again.Summary.Unchanged != 4 {
		t.Errorf("after it was applied: %+v", again.Summary)
	}
	less := bundle(b.Assets[0])
	less.Prune = &portable.Prune{}
	if p, _ := s.plan(t, less); actions(p)["workbook:board"] != portable.ActionKept {
		t.Errorf("pruned: %v", actions(p))
	}
}

// TestPlacementsAreJudgedByWhatTheirReportWillAskFor: whatever it asks for now, and wherever in the bundle it stands.
func TestPlacementsAreJudgedByWhatTheirReportWillAskFor(t *testing.T) {
	const (
		asks  = `{"name":"Sales","sqlQuery":"SELECT 1","parameters":[{"name":"region","type":"text"}]}`
		clear = `{"name":"Sales","sqlQuery":"SELECT 1","parameters":[]}`
		place = "placement:board.xlsx/Data!A1"
	)
	placed := func(region string) portable.Asset {
		return asset(t, "placement", "board.xlsx/Data!A1", strings.Replace(placeDef, `{`, `{"parameters":{"region":{"value":"`+region+`"}},`, 1))
	}
	report := func(definition string) portable.Asset { return asset(t, "report", salesID, definition) }
	for _, row := range []struct {
		name   string
		before *portable.Bundle
		now    *portable.Bundle
		want   portable.Action
	}{
		{"new ones", nil, bundle(report(asks), placed("North")), portable.ActionCreate},
		{"new ones, the placement first", nil, bundle(placed("North"), report(asks)), portable.ActionCreate},
		{"a parameter more, the placement first", bundle(report(someSQL)), bundle(placed("North"), report(asks)), portable.ActionCreate},
		{"another value", bundle(report(asks), placed("North")), bundle(placed("South"), report(asks)), portable.ActionUpdate},
		{"another value, of the placement alone", bundle(report(asks), placed("North")), bundle(placed("South")), portable.ActionUpdate},
		{"cleared", bundle(report(asks), placed("North")), bundle(report(clear), placed("South")), portable.ActionConflict},
		{"cleared, the placement first", bundle(report(asks), placed("North")), bundle(placed("South"), report(clear)), portable.ActionConflict},
		{"left out since", bundle(report(asks), placed("North")), bundle(report(someSQL), placed("South")), portable.ActionConflict},
		{"left out since, the placement first", bundle(report(asks), placed("North")), bundle(placed("South"), report(someSQL)), portable.ActionConflict},
		{"none ever", nil, bundle(placed("North"), report(someSQL)), portable.ActionConflict},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newServer()
			if row.before != nil {
				s.apply(t, row.before)
			}
			p, _ := s.plan(t, row.now)
			if got := actions(p)[place]; got != row.want {
				t.Errorf("%s is %s, want %s: %+v", place, got, row.want, p.Assets)
			}
		})
	}
}
