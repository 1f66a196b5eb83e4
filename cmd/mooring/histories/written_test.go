//go:build unix

package histories

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/anishathalye/porcupine"

	"mooring/cmd/mooring/programtest"
)

// at makes an entry of a request that took from one time to another.
func at(from, until int64, do verb, e entry) *entry {
	e.Call, e.Return, e.Do = from, until, do
	return &e
}

// never makes an entry of a request without an answer.
func never(from int64, do verb, e entry) *entry { return at(from, unanswered, do, e) }

// fields reads "name=value name=value".
func fields(text string) map[string]string {
	return split(strings.ReplaceAll(text, " ", ";"))
}

func sets(text string) entry { return entry{Set: fields(text)} }

// wrote is an upsert that sent members and was answered with others.
func wrote(set, effect, got string) entry {
	return entry{Set: fields(set), Status: statusOK, Effect: effect, Got: fields(got)}
}

// shows is a read.
func shows(got string) entry { return entry{Status: statusOK, Got: fields(got)} }

// about is a request about an id that was answered with a status.
func about(id string, status int) entry { return entry{ID: id, Status: status} }

// changed is a request about an id that was answered with members.
func changed(id, effect, got string) entry {
	return entry{ID: id, Status: statusOK, Effect: effect, Got: fields(got)}
}

// put at a cell, and left, answered with the placements.
func placedAt(id, cell, got string) entry {
	return entry{ID: id, Cell: cell, Status: statusOK, Got: fields(got)}
}

// plans is a plan that sets a name, and applies its apply.
func plans(name, id, action string) entry {
	return entry{Set: fields("name=" + name), Status: statusOK, Got: map[string]string{"plan": id, "action": action}}
}

func applies(id, name string, status int) entry {
	return entry{ID: id, Set: fields("name=" + name), Status: status}
}

// writtenHistory is one of which it is known whether it can have happened.
type writtenHistory struct {
	fact, kind string
	ok         bool
	entries    []*entry
}

// written are histories with known verdicts, by what they show.
var written = []writtenHistory{
	// Reports: what every asset has in common.
	{"nothing is there at first", "report", true, []*entry{at(0, 1, get, about("", statusNotFound))}},
	{"what was never made is read", "report", false, []*entry{at(0, 1, get, shows("id=1 version=1 name=a"))}},
	{"a creation is read", "report", true, []*entry{at(0, 1, put, wrote("name=a", "created", "id=1 version=1 name=a")), at(2, 3, get, shows("id=1 version=1 name=a"))}},
	{"a creation is not read after its answer", "report", false, []*entry{at(0, 1, put, wrote("name=a", "created", "id=1 version=1 name=a")), at(2, 3, get, about("", statusNotFound))}},
	{"a read at the same time may be before it", "report", true, []*entry{at(0, 5, put, wrote("name=a", "created", "id=1 version=1 name=a")), at(2, 3, get, about("", statusNotFound))}},
	{"a read goes back behind another", "report", false, []*entry{
		at(0, 9, put, wrote("name=a", "created", "id=1 version=1 name=a")), at(1, 2, get, shows("id=1 version=1 name=a")), at(3, 4, get, about("", statusNotFound)),
	}},
	{"an update is lost", "report", false, []*entry{
		at(0, 1, put, wrote("name=a", "created", "id=1 version=1 name=a")),
		at(2, 5, put, wrote("name=b", "updated", "id=1 version=2 name=b")), at(3, 6, put, wrote("title=c", "updated", "id=1 version=2 name=a title=c")),
	}},
	{"two updates at once, one after the other", "report", true, []*entry{
		at(0, 1, put, wrote("name=a", "created", "id=1 version=1 name=a")),
		at(2, 5, put, wrote("name=b", "updated", "id=1 version=2 name=b")), at(3, 6, put, wrote("title=c", "updated", "id=1 version=3 name=b title=c")),
	}},
	{"two creations at once", "report", false, []*entry{
		at(0, 5, put, wrote("name=a", "created", "id=1 version=1 name=a")), at(1, 6, put, wrote("name=b", "created", "id=2 version=1 name=b")),
	}},
	{"the same again changes nothing", "report", true, []*entry{
		at(0, 1, put, wrote("name=a", "created", "id=1 version=1 name=a")), at(2, 3, put, wrote("name=a", "unchanged", "id=1 version=1 name=a")),
	}},
	{"the same again makes a version", "report", false, []*entry{
		at(0, 1, put, wrote("name=a", "created", "id=1 version=1 name=a")), at(2, 3, put, wrote("name=a", "updated", "id=1 version=2 name=a")),
	}},
	{"a lost creation was made", "report", true, []*entry{never(0, put, sets("name=a")), at(2, 3, get, shows("id=1 version=1 name=a"))}},
	{"a lost creation was not made", "report", true, []*entry{never(0, put, sets("name=a")), at(2, 3, get, about("", statusNotFound))}},
	{"a lost creation is made later", "report", true, []*entry{never(0, put, sets("name=a")), at(2, 3, get, about("", statusNotFound)), at(4, 5, get, shows("id=1 version=1 name=a"))}},
	{"a lost creation is made and gone", "report", false, []*entry{never(0, put, sets("name=a")), at(2, 3, get, shows("id=1 version=1 name=a")), at(4, 5, get, about("", statusNotFound))}},
	{"a lost creation has two ids", "report", false, []*entry{never(0, put, sets("name=a")), at(2, 3, get, shows("id=1 version=1 name=a")), at(4, 5, get, shows("id=2 version=1 name=a"))}},
	{"a lost update is made twice", "report", false, []*entry{
		at(0, 1, put, wrote("name=a", "created", "id=1 version=1 name=a")), never(2, put, sets("name=b")),
		at(3, 4, get, shows("id=1 version=2 name=b")), at(5, 6, put, wrote("name=c", "updated", "id=1 version=3 name=c")), at(7, 8, get, shows("id=1 version=4 name=b")),
	}},
	{"a deletion, and another one", "report", true, []*entry{
		at(0, 1, put, wrote("name=a", "created", "id=1 version=1 name=a")), at(2, 3, remove, about("1", statusOK)), at(4, 5, remove, about("1", statusNotFound)),
		at(6, 7, put, wrote("name=b", "created", "id=2 version=1 name=b")), at(8, 9, remove, about("1", statusNotFound)),
	}},
	{"deleted twice", "report", false, []*entry{
		at(0, 1, put, wrote("name=a", "created", "id=1 version=1 name=a")), at(2, 5, remove, about("1", statusOK)), at(3, 6, remove, about("1", statusOK)),
	}},
	{"an id is used again", "report", false, []*entry{
		at(0, 1, put, wrote("name=a", "created", "id=1 version=1 name=a")), at(2, 3, put, wrote("name=b", "updated", "id=3 version=2 name=b")),
	}},

	// Workbooks.
	{"members of meta are merged", "workbook", true, []*entry{
		at(0, 1, put, wrote("a=1", "created", "id=1 version=1 a=1")), at(2, 3, put, wrote("b=2", "updated", "id=1 version=2 a=1 b=2")),
	}},
	{"a merge forgets a member", "workbook", false, []*entry{
		at(0, 1, put, wrote("a=1", "created", "id=1 version=1 a=1")), at(2, 3, put, wrote("b=2", "updated", "id=1 version=2 b=2")),
	}},
	{"a draft is not published", "workbook", true, []*entry{
		at(0, 1, put, wrote("draft=1", "created", "id=1 version=1 draft=1")), at(2, 3, get, shows("id=1 version=1 draft=1")),
	}},
	{"a draft is published", "workbook", true, []*entry{
		at(0, 1, put, wrote("draft=1", "created", "id=1 version=1 draft=1")), at(2, 3, publish, changed("1", "updated", "id=1 version=2 draft=1 published=1")),
		at(4, 5, publish, changed("1", "unchanged", "id=1 version=2 draft=1 published=1")),
	}},
	{"a draft that was replaced before is published", "workbook", false, []*entry{
		at(0, 1, put, wrote("draft=1", "created", "id=1 version=1 draft=1")), at(2, 3, put, wrote("draft=2", "updated", "id=1 version=2 draft=2")),
		at(4, 5, publish, changed("1", "updated", "id=1 version=3 draft=2 published=1")),
	}},
	{"a publication at the same time as a draft", "workbook", true, []*entry{
		at(0, 1, put, wrote("draft=1", "created", "id=1 version=1 draft=1")), at(2, 6, put, wrote("draft=2", "updated", "id=1 version=3 draft=2 published=1")),
		at(3, 5, publish, changed("1", "updated", "id=1 version=2 draft=1 published=1")),
	}},
	{"nothing to publish", "workbook", true, []*entry{at(0, 1, put, wrote("a=1", "created", "id=1 version=1 a=1")), at(2, 3, publish, about("1", statusBadRequest))}},
	{"a draft is refused for none", "workbook", false, []*entry{at(0, 1, put, wrote("draft=1", "created", "id=1 version=1 draft=1")), at(2, 3, publish, about("1", statusBadRequest))}},

	// Schedules.
	{"paused and resumed", "schedule", true, []*entry{
		at(0, 1, put, wrote("name=a", "created", "id=1 version=1 name=a paused=false")), at(2, 3, pause, changed("1", "updated", "id=1 version=2 name=a paused=true")),
		at(4, 5, pause, changed("1", "unchanged", "id=1 version=2 name=a paused=true")), at(6, 7, resume, changed("1", "updated", "id=1 version=3 name=a paused=false")),
	}},
	{"a pause is lost to a new name", "schedule", false, []*entry{
		at(0, 1, put, wrote("name=a", "created", "id=1 version=1 name=a paused=false")), at(2, 3, pause, changed("1", "updated", "id=1 version=2 name=a paused=true")),
		at(4, 5, put, wrote("name=b", "updated", "id=1 version=3 name=b paused=false")),
	}},
	{"a schedule that is gone is paused", "schedule", false, []*entry{
		at(0, 1, put, wrote("name=a", "created", "id=1 version=1 name=a paused=false")), at(2, 3, remove, about("1", statusOK)),
		at(4, 5, pause, changed("1", "updated", "id=1 version=2 name=a paused=true")),
	}},

	// Placements.
	{"placed at two cells", "placements", true, []*entry{at(0, 1, connect, placedAt("p", "B2", "B2=p")), at(2, 3, connect, placedAt("q", "F2", "B2=p F2=q"))}},
	{"a connect forgets another placement", "placements", false, []*entry{at(0, 1, connect, placedAt("p", "B2", "B2=p")), at(2, 3, connect, placedAt("q", "F2", "F2=q"))}},
	{"whoever comes second to a cell finds the first", "placements", true, []*entry{at(0, 5, connect, placedAt("p", "B2", "B2=p")), at(1, 6, connect, placedAt("q", "B2", "B2=p"))}},
	{"two placements stand in one cell", "placements", false, []*entry{at(0, 5, connect, placedAt("p", "B2", "B2=p")), at(1, 6, connect, placedAt("q", "B2", "B2=q"))}},
	{"moved", "placements", true, []*entry{at(0, 1, connect, placedAt("p", "B2", "B2=p")), at(2, 3, connect, placedAt("p", "F2", "F2=p"))}},
	{"a move leaves the old one there", "placements", false, []*entry{at(0, 1, connect, placedAt("p", "B2", "B2=p")), at(2, 3, connect, placedAt("p", "F2", "B2=p F2=p"))}},
	{"a move onto another placement is refused", "placements", true, []*entry{
		at(0, 1, connect, placedAt("p", "B2", "B2=p")), at(2, 3, connect, placedAt("q", "F2", "B2=p F2=q")), at(4, 5, connect, entry{ID: "p", Cell: "F2", Status: statusConflict}),
	}},
	{"a move to a free cell is refused", "placements", false, []*entry{at(0, 1, connect, placedAt("p", "B2", "B2=p")), at(2, 3, connect, entry{ID: "p", Cell: "F2", Status: statusConflict})}},
	{"disconnected by the cell", "placements", true, []*entry{at(0, 1, connect, placedAt("p", "B2", "B2=p")), at(2, 3, leave, placedAt("", "B2", ""))}},
	{"a disconnect overlooks the placement in its cell", "placements", false, []*entry{at(0, 1, connect, placedAt("p", "B2", "B2=p")), at(2, 3, leave, placedAt("", "B2", "B2=p"))}},
	{"disconnected by an id that moved meanwhile", "placements", true, []*entry{
		at(0, 1, connect, placedAt("p", "B2", "B2=p")), at(2, 6, connect, placedAt("p", "F2", "F2=p")), at(3, 7, leave, placedAt("p", "", "")),
	}},
	{"a lost disconnect takes effect after a reconnect", "placements", true, []*entry{
		at(0, 1, connect, placedAt("p", "B2", "B2=p")), never(2, leave, placedAt("", "B2", "")), at(3, 4, connect, placedAt("p", "B2", "B2=p")), at(5, 6, list, shows("")),
	}},
	{"a placement comes back", "placements", false, []*entry{
		at(0, 1, connect, placedAt("p", "B2", "B2=p")), at(2, 3, leave, placedAt("p", "", "")), at(4, 5, list, shows("B2=p")),
	}},

	// Idempotency-Keys.
	{"a repetition gets what was made", "key", true, []*entry{at(0, 1, create, shows("id=1")), at(2, 3, create, shows("id=1")), at(4, 5, count, shows("count=1"))}},
	{"a repetition makes another", "key", false, []*entry{at(0, 1, create, shows("id=1")), at(2, 3, create, shows("id=2"))}},
	{"a lost creation is found by the repetition", "key", true, []*entry{never(0, create, entry{}), at(2, 3, create, shows("id=1")), at(4, 5, count, shows("count=1"))}},
	{"a lost creation is made beside the repetition's", "key", false, []*entry{never(0, create, entry{}), at(2, 3, create, shows("id=1")), at(4, 5, count, shows("count=2"))}},
	{"a lost creation was never made", "key", true, []*entry{never(0, create, entry{}), at(4, 5, count, shows("count=0"))}},
	{"a repetition gets the run that was made, though it has ended", "key", true, []*entry{
		at(0, 1, create, entry{Status: statusAccepted, Got: fields("id=r")}), at(2, 3, create, entry{Status: statusAccepted, Got: fields("id=r")}), at(4, 5, count, shows("count=1")),
	}},
	{"a repetition begins another run", "key", false, []*entry{never(0, create, entry{}), at(2, 3, create, entry{Status: statusAccepted, Got: fields("id=r")}), at(4, 5, count, shows("count=2"))}},
	{"what was answered is not there", "key", false, []*entry{at(0, 1, create, shows("id=1")), at(4, 5, count, shows("count=0"))}},

	// Plans.
	{"a plan is applied", "project", true, []*entry{at(0, 1, makePlan, plans("a", "P", "create")), at(2, 3, applyPlan, applies("P", "a", statusOK)), at(4, 5, makePlan, plans("b", "Q", "update"))}},
	{"an applied plan has changed nothing", "project", false, []*entry{at(0, 1, makePlan, plans("a", "P", "create")), at(2, 3, applyPlan, applies("P", "a", statusOK)), at(4, 5, makePlan, plans("b", "Q", "create"))}},
	{"a plan of before another was applied is stale", "project", true, []*entry{
		at(0, 1, makePlan, plans("a", "P", "create")), at(2, 3, makePlan, plans("b", "Q", "create")), at(4, 5, applyPlan, applies("P", "a", statusOK)), at(6, 7, applyPlan, applies("Q", "b", statusConflict)),
	}},
	{"two plans of one state are applied", "project", false, []*entry{
		at(0, 1, makePlan, plans("a", "P", "create")), at(2, 3, makePlan, plans("b", "Q", "create")), at(4, 7, applyPlan, applies("P", "a", statusOK)), at(5, 8, applyPlan, applies("Q", "b", statusOK)),
	}},
	{"a plan that nothing has overtaken is stale", "project", false, []*entry{at(0, 1, makePlan, plans("a", "P", "create")), at(2, 3, applyPlan, applies("P", "a", statusConflict))}},
	{"a plan whose apply was lost is applied again", "project", true, []*entry{
		at(0, 1, makePlan, plans("a", "P", "create")), never(2, applyPlan, applies("P", "a", 0)), at(4, 5, makePlan, plans("b", "Q", "update")), at(6, 7, applyPlan, applies("P", "a", statusOK)),
	}},
	{"a plan that was applied is said to be stale", "project", false, []*entry{
		at(0, 1, makePlan, plans("a", "P", "create")), at(2, 3, applyPlan, applies("P", "a", statusOK)), at(6, 7, applyPlan, applies("P", "a", statusConflict)),
	}},
}

// The models accept and refuse what they are to.
func TestWrittenHistories(t *testing.T) {
	for i, tt := range slices.Concat(written, writtenRuns) {
		t.Run(tt.kind+": "+tt.fact, func(t *testing.T) {
			for client, e := range tt.entries {
				e.Part, e.Client = fmt.Sprintf("%s %d", tt.kind, i), client
			}
			want := porcupine.Illegal
			if tt.ok {
				want = porcupine.Ok
			}
			v := check(tt.entries, programtest.Patience)
			if v.result != want {
				t.Fatalf("%s, want %s", v.result, want)
			}
			file, _ := v.write(t, t.TempDir())
			if again := check(read(t, file), programtest.Patience); again.result != want {
				t.Errorf("read from its file it is %s, want %s", again.result, want)
			}
		})
	}
}
