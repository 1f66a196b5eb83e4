package sheet_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh"
	"mooring/refresh/host"
	"mooring/web/bind"
	"mooring/web/sheet"
)

func ExampleContent() {
	var in sheet.Content
	body := `{"anchor": "Data!B2", "extent": {"rows": 20, "columns": 2}, "cells": [["region", "amount"], ["East", 7]]}`
	faults, err := bind.Read([]byte(body), bind.BodyOptions{}, in.Members)
	in.Check(&faults)
	s := in.Sheet()
	fmt.Println(s.Name, s.Anchor, s.Extent, s.Cells.Rows(), faults, err)
	// Output: Data B2 {20 2} 2 [] <nil>
}

func ExampleWritePlan() {
	var b checksum.Builder
	b.Append(checksum.Str("region"), checksum.Str("amount"))
	b.Append(checksum.Str("East"), checksum.Num(8))
	plan := refresh.ClientPlan{Marker: "_mooring_p1", Patch: host.Patch{
		Block: host.Block{Sheet: "Data"}, Grid: b.Grid(), Rows: []checksum.Span{{From: 1, To: 2}}, Extent: checksum.Extent{Rows: 2, Columns: 2},
	}}
	_ = sheet.WritePlan(context.Background(), os.Stdout, &plan)
	// Output: {"resultChecksum":{"v":0,"chunks":null},"edits":{"rows":0,"cells":0},"movedRows":0,"message":"","patch":{"anchor":"Data!A1","extent":{"rows":2,"columns":2},"marker":"_mooring_p1","shifts":[],"clear":[],"formats":[],"rows":[{"from":1,"to":2,"cells":[["East",8]]}]}}
}

func ExampleWritePlan_formulas() {
	was := host.Formula{Position: host.Position{Row: 6, Column: 6}, Text: "=SUM(B2:B3)"}
	plan := refresh.ClientPlan{Marker: "_mooring_p1", Patch: host.Patch{Block: host.Block{Sheet: "Data"}}, Formulas: []refresh.ClientFormulas{
		{Sheet: "Data", At: placements.Anchor{Row: 3, Column: 3}, Rows: 2, Text: "=B4*2"},
		{Sheet: "Data", At: placements.Anchor{Row: 8, Column: 6}, Rows: 1, Text: "=SUM(B2:B5)", Was: &was},
	}}
	var out strings.Builder
	_ = sheet.WritePlan(context.Background(), &out, &plan)
	_, formulas, _ := strings.Cut(out.String(), `"rows":[],`)
	fmt.Print(formulas)
	// Output: "formulas":[{"sheet":"Data","row":3,"column":3,"texts":["=B4*2","=B5*2"]},{"sheet":"Data","row":8,"column":6,"was":{"row":6,"text":"=SUM(B2:B3)"},"texts":["=SUM(B2:B5)"]}]}}
}
