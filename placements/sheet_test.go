package placements

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSheetOfHost(t *testing.T) {
	for _, tc := range []struct {
		fact string
		host Host
		name string
		says string // empty: accepted
	}{
		{"SHEETS_A takes 100 characters", SheetsA, strings.Repeat("é", 100), ""},
		{"SHEETS_A takes no more", SheetsA, strings.Repeat("é", 101), "longer than 100"},
		{"SHEETS_A takes a slash and an apostrophe at the end", SheetsA, "a/b'", ""},
		{"SHEETS_B takes 31 characters", SheetsB, strings.Repeat("é", 31), ""},
		{"SHEETS_B takes no more", SheetsB, strings.Repeat("é", 32), "longer than 31"},
		{"SHEETS_B counts an emoji twice", SheetsB, strings.Repeat("📈", 16), "longer than 31"},
		{"SHEETS_B takes no slash", SheetsB, "a/b", "holds one of"},
		{"SHEETS_B takes no bracket", SheetsB, "[Book]Sheet", "holds one of"},
		{"SHEETS_B takes an apostrophe inside", SheetsB, "It's", ""},
		{"SHEETS_B takes none at the end", SheetsB, "its'", "apostrophe"},
		{"SHEETS_B takes none at the start", SheetsB, "'its", "apostrophe"},
	} {
		t.Run(tc.fact, func(t *testing.T) {
			got := checkSheetOf(tc.host, tc.name)
			if tc.says == "" && got != "" || !strings.Contains(got, tc.says) {
				t.Errorf("checkSheetOf(%s, %q) = %q, want %q in it", tc.host, tc.name, got, tc.says)
			}
		})
	}
}

func TestFoldSheetAgreesWithEqualFold(t *testing.T) {
	letters := rapid.StringOfN(rapid.RuneFrom([]rune("aAkKKsSſßẞéÉσςΣ語📈 !'")), 0, 6, -1)
	rapid.Check(t, func(t *rapid.T) {
		a, b := letters.Draw(t, "a"), letters.Draw(t, "b")
		if got, want := foldSheet(a) == foldSheet(b), strings.EqualFold(a, b); got != want {
			t.Errorf("%q and %q fold alike: %t, want %t", a, b, got, want)
		}
	})
}

func TestAddressKeyIsUnambiguous(t *testing.T) {
	a, b := Address{"a", "XA2!Y", Anchor{0, 0}}, Address{"aA1!X", "Y", Anchor{1, 0}}
	if a.Key() == b.Key() {
		t.Errorf("%#v and %#v have the key %q", a, b, a.Key())
	}
	part := rapid.StringOfN(rapid.RuneFrom([]rune("aA1!:2'")), 1, 5, -1)
	rapid.Check(t, func(t *rapid.T) {
		a := Address{part.Draw(t, "document"), part.Draw(t, "sheet"), Anchor{rapid.IntRange(0, 2).Draw(t, "row"), 0}}
		b := Address{part.Draw(t, "document"), part.Draw(t, "sheet"), Anchor{rapid.IntRange(0, 2).Draw(t, "row"), 0}}
		same := a.Document == b.Document && strings.EqualFold(a.Sheet, b.Sheet) && a.Anchor == b.Anchor
		if got := a.Key() == b.Key(); got != same {
			t.Errorf("%#v and %#v: keys %q and %q", a, b, a.Key(), b.Key())
		}
	})
}
