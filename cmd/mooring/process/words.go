package process

import (
	"fmt"
	"slices"
	"strings"

	"mooring/storage/record"
)

// Findings says in words what a run found that people had done, empty when that is nothing.
func Findings(run *record.Run) string {
	kept, overwritten, left := 0, 0, 0
	for _, p := range run.Placements {
		replaced := 0
		for _, o := range p.Overwritten {
			if slices.Contains(p.EditedRows, o.Row) {
				replaced++
			}
		}
		overwritten += replaced
		left += len(p.Overwritten) - replaced
		kept += len(p.EditedRows) - replaced
	}
	var words []string
	for _, one := range []struct {
		n    int
		what string
	}{
		{run.MovedRows, " put back in order"},
		{run.ReturnedRows, " deleted by hand written again"},
		{kept, " with cells typed by hand kept"},
		{overwritten, " typed by hand overwritten, and kept in the run"},
		{left, " gone or given back to the source, and what was typed there kept in the run"},
	} {
		if one.n > 0 {
			words = append(words, Count(one.n, "row")+one.what)
		}
	}
	return strings.Join(words, ", ")
}

// Count writes a number of things, named by their singular.
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
