package record

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"mooring/placements"
	"mooring/storage/record/lifecycle"
)

// RunFilter says which runs of a deployment are wanted; what is zero bounds nothing. A run is one of the documents and hosts that it was to
// refresh when it was made.
type RunFilter struct {
	State     placements.RunState // or RunConflict
	Host      placements.Host
	Documents []string // ids of one document, under any of which a run may be listed
	Report    int64
	Owner     int64     // who asked for the run, or whose schedule did
	Since     time.Time // when it was made
}

// RunConflict as the state of a RunFilter wants the runs that FAILED because of a conflict.
const RunConflict placements.RunState = "CONFLICT"

// FacetOpen names the runs that have not ended.
const FacetOpen = "open"

// Open reports whether the filter wants runs in a state that does not last: those that wait and those that run are in one list, so that a
// run which begins is moved between none, and a walk through the list has to look at the states.
func (f RunFilter) Open() bool {
	return slices.Contains(lifecycle.Open(), f.State)
}

// Facets names what the wanted runs have in common that are listed under an id of their document; see keys.RunKeys.List.
func (f RunFilter) Facets(document string) []string {
	var facets []string
	add := func(kind, value string) {
		if value != "" {
			facets = append(facets, kind+":"+value)
		}
	}
	if f.Open() {
		facets = append(facets, FacetOpen)
	} else {
		add("state", string(f.State))
	}
	add("host", string(f.Host))
	add("document", document)
	if f.Report != 0 {
		facets = append(facets, ReportFacet(f.Report))
	}
	if f.Owner != 0 {
		add("owner", strconv.FormatInt(f.Owner, 10))
	}
	if len(facets) == 0 {
		return []string{"all"}
	}
	return facets
}

// ReportFacet names the runs of a report.
func ReportFacet(id int64) string { return "report:" + strconv.FormatInt(id, 10) }

// RunPage is a page of a deployment's runs, the latest first. One that was looked for far enough ends early, and may be empty then.
type RunPage struct {
	Runs        []*Run
	Places      []string              // of the runs
	Definitions map[int64]*Definition // of the reports of the runs, if they were wanted
	HasNextPage bool
	End         string // place of the last run that was looked at, for the next page; empty when there was none
}

// JoinRuns is the page of the first runs of what these pages begin, each run once.
func JoinRuns(pages []RunPage, first int) RunPage {
	if len(pages) == 1 {
		return pages[0]
	}
	joined, seen := RunPage{Definitions: map[int64]*Definition{}}, "" // up to where all pages go
	runs := map[string]*Run{}
	for _, p := range pages {
		if p.HasNextPage {
			joined.HasNextPage, seen = true, max(seen, p.End)
		}
		for i, place := range p.Places {
			runs[place] = p.Runs[i]
		}
		maps.Copy(joined.Definitions, p.Definitions)
	}
	for _, place := range slices.Backward(slices.Sorted(maps.Keys(runs))) {
		if place < seen {
			break
		}
		if len(joined.Runs) == first {
			joined.HasNextPage, seen = true, joined.End
			break
		}
		joined.Runs, joined.Places, joined.End = append(joined.Runs, runs[place]), append(joined.Places, place), place
	}
	if joined.HasNextPage {
		joined.End = seen
	}
	return joined
}

// placeDigits is the length of the time in the place of a run in lists.
const placeDigits = 16

// CheckRunPlace reports whether text can be the place of a run.
func CheckRunPlace(text string) bool {
	at, id, _ := strings.Cut(text, ":")
	_, err := strconv.ParseUint(at, 10, 64)
	return err == nil && len(at) == placeDigits && id != ""
}
