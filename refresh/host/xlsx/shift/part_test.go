package shift_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/refresh/host/formula"
	"mooring/refresh/host/xlsx/shift"
)

// inserted inserts two rows before row 5 in columns B to D of sheet Data, deleted deletes rows 5 and 6 there.
var (
	inserted = moves(formula.Shift{Row: 4, Rows: 2})
	deleted  = moves(formula.Shift{Row: 4, Rows: -2})
)

// moves are moves of columns B to D of sheet Data.
func moves(list ...formula.Shift) *shift.Moves {
	for i := range list {
		list[i].Sheet, list[i].Left, list[i].Right = "Data", 1, 3
	}
	return &shift.Moves{By: list, Sheets: []string{"Data", "My Sheet", "Sum"}}
}

// partTest is what a part on sheet Data reads after moves. Torn is where something would be torn apart; nothing changes when both want and
// torn are empty.
type partTest struct {
	name, kind string
	by         *shift.Moves
	doc, want  string
	torn       string
}

func runPartTests(t *testing.T, tests []partTest) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			checkPart(t, tt, tt.by.Part(tt.kind))
		})
	}
}

func checkPart(t *testing.T, tt partTest, rewrite func(doc []byte, sheet string) ([]byte, error)) {
	t.Helper()
	doc := []byte(tt.doc)
	got, err := rewrite(doc, "Data")
	if tt.torn != "" {
		if torn := (*shift.Torn)(nil); !errors.As(err, &torn) || torn.Error() != tt.torn {
			t.Errorf("got %q, %v; want %s", got, err, tt.torn)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if tt.want == "" {
		if &got[0] != &doc[0] {
			t.Errorf("the part was copied: %s", got)
		}
		return
	}
	if diff := cmp.Diff(tt.want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if string(doc) != tt.doc {
		t.Error("the old part was changed in place")
	}
}

func TestKindsWithoutReferences(t *testing.T) {
	for _, kind := range []string{
		"worksheet", "styles", "sharedStrings", "theme", "image", "queryTable", "printerSettings", "externalLink", "pivotCacheRecords", "person",
		"slicer", "slicerCache", "timelineCache", "sheetMetadata", "vbaProject", "hyperlink", "customXml", "chartStyle", "chartColorStyle",
	} {
		if inserted.Part(kind) != nil {
			t.Errorf("parts of kind %q are rewritten", kind)
		}
	}
}

// Whatever stands in a part, rewriting it does not panic, and without shifts nothing changes.
func FuzzPart(f *testing.F) {
	for _, seed := range fuzzSeeds {
		f.Add(seed.kind, seed.doc, uint16(4), int8(2))
		f.Add(seed.kind, seed.doc, uint16(2), int8(-3))
	}
	f.Fuzz(func(t *testing.T, kind, text string, row uint16, rows int8) {
		rewriters := func(m *shift.Moves) []func([]byte, string) ([]byte, error) {
			return []func([]byte, string) ([]byte, error){
				m.Part(kind),
				func(doc []byte, _ string) ([]byte, error) { return m.Names(doc) },
				func(doc []byte, _ string) ([]byte, error) { return m.Topics(doc, map[string]string{"1": "Data"}) },
				func(doc []byte, _ string) ([]byte, error) {
					doc, _, err := m.CalcChain(doc, map[string]string{"1": "Data"})
					return doc, err
				},
			}
		}
		for _, rewrite := range rewriters(moves()) {
			if rewrite == nil {
				continue
			}
			if got, err := rewrite([]byte(text), "Data"); err == nil && string(got) != text {
				t.Errorf("%s without shifts: %q became %q", kind, text, got)
			}
		}
		for _, rewrite := range rewriters(moves(formula.Shift{Row: int(row), Rows: int(rows)})) {
			if rewrite == nil {
				continue
			}
			doc := []byte(text)
			if _, err := rewrite(doc, "Data"); err == nil && !bytes.Equal(doc, []byte(text)) {
				t.Errorf("%s: the part was changed in place", kind)
			}
		}
	})
}

// fuzzSeeds are the parts of the tests.
var fuzzSeeds = slices.Concat(tableTests, commentTests, drawingTests, vmlTests, chartTests, pivotTests, controlTests)
