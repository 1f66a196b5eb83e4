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
	options := placements.Options{}.Complete() // each is said
	report, ofReport := OfReport(&record.Definition{RowKey: []string{"id"}})
	workbook, ofWorkbook := OfWorkbook(&record.Workbook{}, nil)
	placement, ofPlacement := OfPlacement(&placements.Placement{
		Host: placements.SheetsA, WorkbookID: "doc", SheetName: "Data", AnchorCell: "A1", StatusCell: "A9", FillRight: "C:D", Options: options,
		Parameters: placements.ParameterSettings{"region": {}},
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

// What a bundle leaves out has its default, but for what says which asset it is and what it cannot be without. An option may be left out.
func TestWhatHasNoDefault(t *testing.T) {
	for kind, want := range map[AssetKind][]string{
		KindReport:    {"source"},
		KindWorkbook:  {"meta"},
		KindPlacement: {"anchor", "document", "host", "report", "sheet"},
		KindSchedule:  {"cron", "target"},
	} {
		got := slices.DeleteFunc(declared(kind), func(name string) bool { return slices.Contains(optional(kind), name) })
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("of a %s have no default %v, want %v", kind, got, want)
		}
	}
}
