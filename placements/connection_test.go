package placements

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
)

func TestConnectRefuses(t *testing.T) {
	for _, tc := range []struct {
		rule string
		c    Connection
		want map[string]string // pointer -> part of its message
	}{
		{"without a spreadsheet", Connection{ResultLocation: "Data!B2"}, map[string]string{"/externalWorkbookId": "missing"}},
		{"without a resultLocation", Connection{ExternalWorkbookID: "doc", SheetName: "Data", AnchorCell: "B2"}, map[string]string{"/resultLocation": "missing"}},
		{"without a sheet", Connection{ExternalWorkbookID: "doc", ResultLocation: "B2"}, map[string]string{"/sheetName": "No sheet is named"}},
		{"two sheets", Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2", SheetName: "Other"}, map[string]string{"/sheetName": "send the same sheet"}},
		{"two anchors", Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2", AnchorCell: "C3"}, map[string]string{"/anchorCell": "send the same cell"}},
		{"a broken anchor", Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2", AnchorCell: "B"}, map[string]string{"/anchorCell": "no row"}},
		{"a whole column", Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B:D"}, map[string]string{"/resultLocation": "whole column"}},
		{"an end before the anchor", Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2", EndResultCell: "C1"}, map[string]string{"/endResultCell": "above or left"}},
		{"a broken end", Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2", EndResultCell: "Data!C3"}, map[string]string{"/endResultCell": "is not a cell"}},
		{"an unknown host", Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2", Host: "SHEETS_C"}, map[string]string{"/host": "no spreadsheet host"}},
		{"a sheet name that its host does not take", Connection{ExternalWorkbookID: "doc", ResultLocation: "'a/b'!B2", Host: SheetsB}, map[string]string{"/resultLocation": "holds one of"}},
		{"a control character in an id", Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2", PlacementID: "a\nb"}, map[string]string{"/placementId": "plain text"}},
		{"an id too long", Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2", PlacementID: strings.Repeat("x", 129)}, map[string]string{"/placementId": "At most 128"}},
		{
			"all faults at once",
			Connection{AnchorCell: "B0", EndResultCell: "1", Host: "x"},
			map[string]string{"/externalWorkbookId": "missing", "/resultLocation": "missing", "/anchorCell": "begins with 0", "/endResultCell": "no column", "/host": "no spreadsheet host"},
		},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			_, err := Connect(nil, tc.c, stamp())
			bad, ok := errors.AsType[*InvalidError](err)
			if !ok || bad.Code != CodeInvalidAddress {
				t.Fatalf("got %v, want an invalid address", err)
			}
			got := map[string]string{}
			for _, d := range bad.Details {
				got[d.Pointer] = d.Message
				if !strings.Contains(d.Message, tc.want[d.Pointer]) {
					t.Errorf("%s: %q, want %q in it", d.Pointer, d.Message, tc.want[d.Pointer])
				}
			}
			if len(got) != len(tc.want) {
				t.Errorf("faults %v, want %v", got, tc.want)
			}
		})
	}
}

func TestConnectRefusesABadChecksum(t *testing.T) {
	c := Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2", ResultChecksum: &checksum.ResultChecksum{V: 0}}
	_, err := Connect(nil, c, stamp())
	bad, ok := errors.AsType[*InvalidError](err)
	if !ok || bad.Code != CodeInvalid || !strings.HasPrefix(bad.Details[0].Pointer, "/resultChecksum") {
		t.Errorf("got %v, want an invalid resultChecksum", err)
	}
}

func TestConnectKeepsTheHostOfTheRecord(t *testing.T) {
	existing := []Placement{moored("p1", "doc", "Data", "B2", "")}
	_, err := Connect(existing, Connection{ExternalWorkbookID: "doc", ResultLocation: "'a/b'!B2", PlacementID: "p1"}, stamp())
	bad, ok := errors.AsType[*InvalidError](err)
	if !ok || cmp.Diff("/sheetName", bad.Details[0].Pointer) != "" {
		t.Errorf("got %v, want the sheet name refused: the record stands in a SHEETS_B spreadsheet", err)
	}
}
