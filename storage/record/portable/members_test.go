package portable

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mooring/placements"
	"mooring/storage/record"
)

// declared are the names of the members of a declaration.
func declared(k AssetKind) (names []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeOf(NewDeclaration(k)).Elem()) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}

// What a bundle may say of an asset is what its definition shows of one that says it all: a member that is missing there would seem unchanged in a
// plan, and be dropped by an apply.
func TestADefinitionHasWhatIsDeclared(t *testing.T) {
	options := placements.Options{OnEdit: placements.Sent(placements.Stop), ShiftRows: placements.Sent(true), BreakSignature: placements.Sent(true)}
	report, ofReport := OfReport(&record.Definition{RowKey: []string{"id"}})
	workbook, ofWorkbook := OfWorkbook(&record.Workbook{}, nil)
	placement, ofPlacement := OfPlacement(&placements.Placement{
		Host: placements.SheetsA, WorkbookID: "doc", SheetName: "Data", AnchorCell: "A1", StatusCell: "A9", FillRight: "C:D", Options: options,
	}, "sales")
	schedule, ofSchedule := OfSchedule(&record.ScheduleSpec{Options: options}, ScheduleTarget{})
	if err := errors.Join(ofReport, ofWorkbook, ofPlacement, ofSchedule); err != nil {
		t.Fatal(err)
	}
	for kind, tree := range map[AssetKind]map[string]any{KindReport: report, KindWorkbook: workbook, KindPlacement: placement, KindSchedule: schedule} {
		got, want := slices.Sorted(maps.Keys(tree)), slices.Sorted(slices.Values(declared(kind)))
		if !slices.Equal(got, want) {
			t.Errorf("a %s shows %v, and may be declared with %v", kind, got, want)
		}
	}
}

func TestWhatABundleMayLeaveOut(t *testing.T) {
	for kind, want := range map[AssetKind][]string{
		KindReport:    {"access", "description", "folderId", "jsonQuery", "meta", "name", "pivotItems", "rowKey", "sqlQuery", "title"},
		KindWorkbook:  {"dashboard", "folderId", "name"},
		KindPlacement: {"breakSignature", "fillRight", "onEdit", "shiftRows", "statusCell"},
		KindSchedule:  {"breakSignature", "catchUp", "jitterSeconds", "name", "onEdit", "overlap", "paused", "shiftRows", "timezone"},
	} {
		if got := slices.Sorted(slices.Values(optional(kind))); !slices.Equal(got, want) {
			t.Errorf("of a %s may be left out %v, want %v", kind, got, want)
		}
	}
}
