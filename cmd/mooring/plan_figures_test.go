package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"mooring/cmd/mooring/ascode"
	"mooring/cmd/mooring/process"
	"mooring/storage/storagetest"
)

// TestPlanFigures prints how long a plan of many assets takes; scripts/bench-plan calls it. It checks what the plan holds, not how long it
// takes.
func TestPlanFigures(t *testing.T) {
	t.Parallel()
	if os.Getenv("MOORING_BENCH_PLAN") == "" {
		t.Skip("run scripts/bench-plan")
	}
	p := &project{newCodeSite(t, storagetest.Redis(t), 2), writeProject(t, sampleProject(), manyAssets())}
	start := time.Now()
	p.run(process.ExitDone, "apply", "{}", "--approve")
	fmt.Printf("| first apply, the whole command | %s | |\n", time.Since(start).Round(time.Millisecond))
	start = time.Now()
	p.shows(process.ExitDone, "1000 unchanged.", "apply", "{}", "--approve")
	fmt.Printf("| apply without a change, the whole command | %s | |\n", time.Since(start).Round(time.Millisecond))
	for i := range 5 {
		p.edit(fmt.Sprintf("reports/many%d.yaml", i), "name: Many", "name: More")
		p.edit(fmt.Sprintf("reports/many%d.sql", i+5), "FROM orders", "FROM orders WHERE amount > 0")
	}
	p.shows(process.ExitDone, "10 to update, 990 unchanged.", "plan", "{}")

	f, err := ascode.Read(p.dir, "dev", ascode.Variable(environment()))
	if err != nil {
		t.Fatal(err)
	}
	body, err := f.Bundle().Encode()
	if err != nil {
		t.Fatal(err)
	}
	var plans, lists []time.Duration
	for range 9 {
		start := time.Now()
		p.send("POST", "1/plans", string(body))
		plans = append(plans, time.Since(start))
		start = time.Now()
		if n := p.listAll("1"); n < 500 {
			t.Fatalf("%d assets are listed", n)
		}
		lists = append(lists, time.Since(start))
	}
	plan, list := slices.Min(plans), slices.Min(lists)
	fmt.Printf("| lists of the same assets | %s | |\n", list.Round(time.Millisecond/10))
	fmt.Printf("| plan, 10 of them changed, one request | %s, %.2f × the lists | <= 1 s, <= 5 × |\n", plan.Round(time.Millisecond/10), float64(plan)/float64(list))
}

// manyAssets are 499 reports, 399 placements, 49 workbooks and 49 schedules: with those of the sample, 1,000 assets.
func manyAssets() map[string]string {
	files := map[string]string{}
	var items strings.Builder
	for i := range 499 {
		files[fmt.Sprintf("reports/many%d.yaml", i)] = fmt.Sprintf("publicId: ManyReport%02s\nname: Many %d\nsource: SHEETS_B\n", base62(i), i)
		files[fmt.Sprintf("reports/many%d.sql", i)] = fmt.Sprintf("SELECT id, customer, amount, %d AS n\nFROM orders\nORDER BY id\n", i)
		if i < 399 {
			fmt.Fprintf(&items, "  - {report: ManyReport%02s, sheet: Sheet1, at: F%d}\n", base62(i), 10*i+1)
		}
		if i < 49 {
			files[fmt.Sprintf("workbooks/many%d.yaml", i)] = fmt.Sprintf(
				"slug: many%d\nname: Many %d\ndashboard:\n  widgets:\n    - {id: a, type: CHART, config: {report: ManyReport%02s}}\n", i, i, base62(i))
			files[fmt.Sprintf("schedules/many%d.yaml", i)] = fmt.Sprintf(
				"key: many%d\ncron: '@daily'\ntarget: {report: ManyReport%02s}\n", i, base62(i))
		}
	}
	files["placements/many.yaml"] = "document: orders.xlsx\nhost: SHEETS_B\nitems:\n" + items.String()
	return files
}

// base62 writes a number below 3,844 with two letters or digits.
func base62(n int) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	return string([]byte{digits[n/62], digits[n%62]})
}

// listAll reads all pages of the lists of a deployment and returns how many assets they have.
func (s *codeSite) listAll(deployment string) (n int) {
	for _, list := range []string{"reports", "workbooks", "refresh-schedules"} {
		for after := ""; ; {
			var page struct {
				Items    []json.RawMessage
				PageInfo struct {
					HasNextPage bool
					EndCursor   string
				}
			}
			text := s.send("GET", deployment+"/"+list+"?first=200"+after, "")
			if err := json.Unmarshal(text, &page); err != nil {
				s.t.Fatal(err)
			}
			n += len(page.Items)
			if after = "&after=" + url.QueryEscape(page.PageInfo.EndCursor); !page.PageInfo.HasNextPage {
				break
			}
		}
	}
	return n
}
