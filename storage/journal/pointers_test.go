package journal

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/storage/record"
)

func TestReportPointers(t *testing.T) {
	one := int64(1)
	before := record.Definition{Name: "Sales", SQLQuery: "select 1", Meta: json.RawMessage(`{"chart":"bar","same":1,"gone":true}`)}
	tests := []struct {
		name   string
		change func(*record.Definition)
		want   []string
	}{
		{name: "nothing", change: func(*record.Definition) {}},
		{name: "stamps are none", change: func(d *record.Definition) { d.Version, d.UpdatedAt, d.CurrentChecksum = 2, "now", "x" }},
		{name: "texts", change: func(d *record.Definition) { d.Title, d.SQLQuery = "T", "select 2" }, want: []string{"/title", "/sqlQuery"}},
		{name: "a folder", change: func(d *record.Definition) { d.FolderID, d.WorkbookID = &one, &one }, want: []string{"/folderId", "/workbookId"}},
		{
			name:   "members of meta, each by itself",
			change: func(d *record.Definition) { d.Meta = json.RawMessage(`{"same":1,"chart":"pie","a/b~c":2}`) },
			want:   []string{"/meta/a~1b~0c", "/meta/chart", "/meta/gone"},
		},
		{
			name:   "lists",
			change: func(d *record.Definition) { d.RowKey, d.RolesWithAccess = []string{"id"}, []record.RoleAccess{{ID: 3}} },
			want:   []string{"/rowKey", "/rolesWithAccess"},
		},
		{
			name: "what a pivot shows", want: []string{"/pivotItems"},
			change: func(d *record.Definition) {
				d.PivotItems = &record.PivotItems{ShowRowTotals: true, ShowAppliedFilters: true}
			},
		},
		{name: "a pivot", change: func(d *record.Definition) { d.PivotItems = &record.PivotItems{} }, want: []string{"/pivotItems"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			after := before
			tt.change(&after)
			if diff := cmp.Diff(tt.want, ReportPointers(&before, &after)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPlacementPointers(t *testing.T) {
	before := placements.Placement{
		ID: "p", WorkbookID: "doc", Host: placements.SheetsA, SheetName: "Data", AnchorCell: "B2",
		RunAs: &placements.RunAs{UID: 7, Roles: []int64{1}},
	}
	tests := []struct {
		name   string
		change func(*placements.Placement)
		want   []string
	}{
		{name: "what a write of data leaves is none", change: func(p *placements.Placement) {
			p.RefreshedAt, p.QueryChecksum, p.EndResultCell, p.ResultLocation, p.RefreshedByUserID = "now", "q", "D9", "Data!B2:D9", 8
			p.RunAs = &placements.RunAs{UID: 7, Roles: []int64{1}, Actions: []string{"All"}}
		}},
		{name: "a move", change: func(p *placements.Placement) { p.SheetName, p.AnchorCell = "New", "A1" }, want: []string{"/sheetName", "/anchorCell"}},
		{name: "another person", change: func(p *placements.Placement) { p.RunAs = &placements.RunAs{UID: 8} }, want: []string{"/runAs"}},
		{name: "other roles", change: func(p *placements.Placement) { p.RunAs = &placements.RunAs{UID: 7} }, want: []string{"/runAs"}},
		{name: "vouching", change: func(p *placements.Placement) { p.Placer = placements.PlacedByEditor }, want: []string{"/placer"}},
		{name: "parameters, by their names", change: func(p *placements.Placement) {
			p.Parameters = placements.ParameterSettings{"region": {Value: new(placements.OneValue(placements.TextScalar("Secretville")))}, "from": {Cell: "Setup!B2"}}
		}, want: []string{"/parameters/from", "/parameters/region"}},
		{name: "options", change: func(p *placements.Placement) {
			p.OnEdit, p.BreakSignature, p.StatusCell = placements.Sent(placements.Stop), placements.Sent(true), "A1"
			p.ShiftRows, p.FillRight = placements.Sent(false), "F:H"
		}, want: []string{"/statusCell", "/fillRight", "/onEdit", "/shiftRows", "/breakSignature"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			after := before
			tt.change(&after)
			if diff := cmp.Diff(tt.want, PlacementPointers(&before, &after)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestScheduleChange(t *testing.T) {
	before := record.Schedule{CreatedBy: 7, ScheduleSpec: record.ScheduleSpec{Name: "Daily", Cron: []string{"@daily"}}}
	tests := []struct {
		name   string
		change func(*record.Schedule)
		verb   string
		want   []string
	}{
		{name: "paused", change: func(c *record.Schedule) { c.Paused = true }, verb: Pause, want: []string{"/paused"}},
		{name: "transferred", change: func(c *record.Schedule) { c.CreatedBy = 8 }, verb: Transfer, want: []string{"/createdBy"}},
		{name: "renamed", change: func(c *record.Schedule) { c.Name = "Weekly" }, verb: Update, want: []string{"/name"}},
		{
			name: "renamed and paused", change: func(c *record.Schedule) { c.Name, c.Paused = "Weekly", true },
			verb: Update, want: []string{"/name", "/paused"},
		},
		{
			name: "other times", change: func(c *record.Schedule) { c.Cron, c.Timezone = []string{"@weekly"}, "UTC" },
			verb: Update, want: []string{"/cron", "/timezone"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			after := before
			tt.change(&after)
			verb, got := scheduleChange(&before, &after)
			if diff := cmp.Diff(tt.want, got); diff != "" || verb != tt.verb {
				t.Errorf("%s, want %s (-want +got):\n%s", verb, tt.verb, diff)
			}
		})
	}
	after := before
	after.Paused = true
	if verb, _ := scheduleChange(&after, &before); verb != Resume {
		t.Errorf("the end of a pause is %s", verb)
	}
}

func TestAnEntryIsBounded(t *testing.T) {
	e := Entry{Asset: Asset{Name: strings.Repeat("语", 1000)}}
	for n := range 30 {
		e.Pointers = append(e.Pointers, fmt.Sprintf("/meta/%d%s", n, strings.Repeat("x", 1000)))
	}
	text, err := record.Encode(e.bounded())
	if err != nil || len(text) > 5000 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	if kept := e.bounded(); len(kept.Pointers) != mostPointers || !strings.HasPrefix(kept.Asset.Name, "语") {
		t.Errorf("%+v", kept)
	}
}
