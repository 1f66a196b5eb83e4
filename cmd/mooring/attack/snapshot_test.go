//go:build unix

package attack

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mooring/storage/record/recordtest"
)

// lists are those that show all that people have made.
var lists = []string{
	"/api/v1/tenant/settings", "/api/v1/deployments/1/reports?first=500&include=meta,resultChecksum", "/api/v1/deployments/1/workbooks?first=500&include=meta",
	"/api/v1/deployments/1/placements?first=500&include=resultChecksum", "/api/v1/deployments/1/refresh-schedules?first=500",
	"/api/v1/revocations",
}

// volatile are members that change by themselves.
var volatile = []string{"lastRun", "nextFires", "syncStatus", "asOf"}

// snapshot is everything as an administrator sees it, and the bytes of all workbooks. Devices are their owner's to see.
func (a *attacker) snapshot() string {
	a.t.Helper()
	var all strings.Builder
	for _, path := range lists {
		all.WriteString(stable(a.must("an administrator", "GET", path, "").text))
	}
	devices := a.must("the owner", "GET", "/api/v1/devices", "")
	fmt.Fprintf(&all, "%d devices\n", strings.Count(devices.text, `"clientName"`))
	fmt.Fprintf(&all, "%d keys\n", strings.Count(a.send(recordtest.Admin, "GET", "/api/v1/keys", "").text, `"madeBy"`))
	return all.String() + a.files()
}

// files are the names of the workbooks and what they hold.
func (a *attacker) files() string {
	a.t.Helper()
	names, err := filepath.Glob(a.sheet("*"))
	if err != nil {
		a.t.Fatal(err)
	}
	var all strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			a.t.Fatal(err)
		}
		fmt.Fprintf(&all, "%s %x\n", filepath.Base(name), sha256.Sum256(text))
	}
	return all.String()
}

// stable is a list without what changes by itself, a line an item.
func stable(text string) string {
	var page struct{ Items []map[string]any }
	if json.Unmarshal([]byte(text), &page) != nil || page.Items == nil {
		return text + "\n"
	}
	var all strings.Builder
	for _, item := range page.Items {
		line, _ := json.Marshal(without(item))
		all.Write(line)
		all.WriteByte('\n')
	}
	return all.String()
}

func without(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			if value[name] = without(member); slices.Contains(volatile, name) {
				delete(value, name)
			}
		}
	case []any:
		for i := range value {
			value[i] = without(value[i])
		}
	}
	return value
}

// firstDifference is the first line of after that before has not.
func firstDifference(before, after string) string {
	lines := strings.Split(before, "\n")
	for line := range strings.SplitSeq(after, "\n") {
		if !slices.Contains(lines, line) {
			return fmt.Sprintf("%.400s", line)
		}
	}
	return "something is gone"
}
