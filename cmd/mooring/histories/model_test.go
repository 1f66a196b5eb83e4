//go:build unix

package histories

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/anishathalye/porcupine"
)

// unknown stands for an id that no answer has told yet.
const unknown = "?"

// asset is a report, a workbook or a schedule that a client names by its portable id. Its zero value is one that does not exist.
type asset struct {
	id        string // unknown: made by a request without an answer
	version   int
	members   string // of the asset, encoded by join
	published string // the dashboard that viewers see
	paused    bool
}

// is reports whether an answer is about the asset as it is, and binds an id that was unknown.
func (a *asset) is(e *entry) bool {
	if a.id == unknown {
		a.id = e.Got["id"]
	}
	got := maps.Clone(e.Got)
	delete(got, "id")
	delete(got, "version")
	delete(got, "published")
	delete(got, "paused")
	return a.id == e.Got["id"] && strconv.Itoa(a.version) == e.Got["version"] && a.members == join(got) &&
		a.published == e.Got["published"] && (e.Got["paused"] == "true") == a.paused
}

// put merges the members sent; what changes nothing makes no version.
func (a asset) put(set map[string]string) (next asset, effect string) {
	if a.id == "" {
		return asset{id: unknown, version: 1, members: join(set)}, "created"
	}
	merged := split(a.members)
	maps.Copy(merged, set)
	next = a
	if next.members = join(merged); next.members == a.members {
		return a, "unchanged"
	}
	next.version++
	return next, "updated"
}

// step is a request about an asset by its portable id.
func (a asset) step(e *entry) (bool, asset) {
	switch e.Do {
	case get:
		if e.Status == statusNotFound {
			return a.id == "", a
		}
		return a.id != "" && a.is(e), a
	case put:
		next, effect := a.put(e.Set)
		return e.lost() || e.Status == statusOK && e.Effect == effect && next.is(e), next
	case remove:
		if !a.isCalled(e.ID) {
			return e.lost() || e.Status == statusNotFound, a
		}
		return e.lost() || e.Status == statusOK, asset{}
	}
	if !a.isCalled(e.ID) {
		return e.lost() || e.Status == statusNotFound, a
	}
	if e.Do == publish && split(a.members)["draft"] == "" {
		return e.lost() || e.Status == statusBadRequest, a
	}
	next := a.changed(e.Do)
	return e.lost() || e.Status == statusOK && next.is(e), next
}

// isCalled reports whether the asset has that id. One whose id is unknown has none that a client knew: ids are not used twice, and the
// client knew its own from an earlier answer.
func (a *asset) isCalled(id string) bool { return a.id != "" && a.id == id }

// changed is the asset after what needs nothing but its id.
func (a asset) changed(do verb) asset {
	next := a
	switch do {
	case publish:
		next.published = split(a.members)["draft"]
	case pause, resume:
		next.paused = do == pause
	}
	if next != a {
		next.version++
	}
	return next
}

// join encodes members so that equal ones are equal texts.
func join(members map[string]string) string {
	var text []string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		text = append(text, name+"="+members[name])
	}
	return strings.Join(text, ";")
}

// split is the reverse of join.
func split(text string) map[string]string {
	members := map[string]string{}
	for part := range strings.SplitSeq(text, ";") {
		if name, value, ok := strings.Cut(part, "="); ok {
			members[name] = value
		}
	}
	return members
}

// placed is where a report stands: the id of each placement by its cell, encoded by join.
type placed string

// step is a request about the placements of a report.
func (p placed) step(e *entry) (bool, placed) {
	at := split(string(p))
	switch e.Do {
	case connect:
		from := cellOf(at, e.ID)
		switch there := at[e.Cell]; {
		case from != "" && there != "" && from != e.Cell:
			return e.lost() || e.Status == statusConflict, p
		case from != "":
			delete(at, from)
			at[e.Cell] = e.ID
		case there == "":
			at[e.Cell] = e.ID
		}
	case leave:
		if cell := e.Cell; e.ID != "" {
			delete(at, cellOf(at, e.ID))
		} else {
			delete(at, cell)
		}
	}
	next := join(at)
	return e.lost() || e.Status == statusOK && next == join(e.Got), placed(next)
}

// cellOf is the cell of the placement with that id; empty when there is none.
func cellOf(at map[string]string, id string) string {
	for cell, one := range at {
		if one == id {
			return cell
		}
	}
	return ""
}

// made is what was made under an Idempotency-Key: nothing, or what has that id.
type made string

// step is a request under the key, or a look at what was made.
func (m made) step(e *entry) (bool, made) {
	if e.Do == count {
		want := "1"
		if m == "" {
			want = "0"
		}
		return e.Got["count"] == want, m
	}
	if e.lost() {
		if m == "" {
			m = unknown
		}
		return true, m
	}
	if m == "" || m == unknown {
		m = made(e.Got["id"])
	}
	return e.Status < statusBadRequest && e.Got["id"] == string(m), m
}

// modelOf returns the model of a kind of parts.
func modelOf(kind string) porcupine.Model {
	switch kind {
	case "placements":
		return model(placed.step)
	case "key":
		return model(made.step)
	case "run":
		return heldModel().ToModel()
	case "project":
		return model(project.step)
	}
	return model(asset.step)
}

// model makes a model of the step of a state.
func model[S comparable](step func(S, *entry) (bool, S)) porcupine.Model {
	return porcupine.Model{
		Init: func() any { var s S; return s },
		Step: func(state, input, _ any) (bool, any) {
			if e := input.(*entry); e.Refused == "" {
				return step(state.(S), e)
			}
			return true, state // nothing was done
		},
		DescribeOperation: func(input, _ any) string {
			return input.(*entry).String()
		},
	}
}

// project is what a project manages, one report, and the plans that may still be applied.
type project struct {
	name    string // of the report; empty: there is none
	changes int    // how often it was changed
	plans   string // number of changes when each was made, by the plan's id, encoded by join; of those that were applied, "done"
}

// step makes or applies a plan that sets the report's name. A plan is good for as long as what it changes is as it was.
func (p project) step(e *entry) (bool, project) {
	plans := split(p.plans)
	if e.Do == makePlan {
		if e.lost() {
			return true, p // a plan that nobody knows
		}
		plans[e.Got["plan"]] = strconv.Itoa(p.changes)
		action := "update"
		switch p.name {
		case "":
			action = "create"
		case e.Set["name"]:
			action = "unchanged"
		}
		p.plans = join(plans)
		return e.Status == statusOK && e.Got["action"] == action, p
	}
	if e.Status == statusNotFound {
		return true, p // of many plans the latest are kept
	}
	switch plans[e.ID] {
	case "done": // also by a request whose answer was lost
		return e.lost() || e.Status == statusOK, p
	case strconv.Itoa(p.changes):
	default:
		return e.lost() || e.Status == statusConflict, p
	}
	if p.name != e.Set["name"] {
		p.name = e.Set["name"]
		p.changes++
	}
	plans[e.ID] = "done"
	p.plans = join(plans)
	return e.lost() || e.Status == statusOK, p
}
