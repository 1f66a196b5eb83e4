//go:build unix

package histories

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// verb is what a request asks for.
type verb string

// The verbs.
const (
	put        verb = "put"        // upsert by the part's name
	get        verb = "get"        // read by the part's name
	remove     verb = "delete"     // by id
	publish    verb = "publish"    // by id
	pause      verb = "pause"      // by id
	resume     verb = "resume"     // by id
	connect    verb = "connect"    // a placement's id and a cell
	leave      verb = "disconnect" // by a placement's id or a cell
	list       verb = "list"       // the placements
	look       verb = "look"       // at the result that a placement shows
	create     verb = "create"     // under the part's Idempotency-Key
	count      verb = "count"      // what was made under the part's key
	begin      verb = "begin"      // a client run
	renew      verb = "renew"      // its lease, by id
	planRun    verb = "plan run"   // what the client is to write, by id
	complete   verb = "complete"   // once it has written, by id
	stop       verb = "stop"       // by id
	makePlan   verb = "plan"
	applyPlan  verb = "apply"
	unanswered      = math.MaxInt64 // Return of a request without an answer
)

// verbs are all of them.
var verbs = []verb{
	put, get, remove, publish, pause, resume, connect, leave, list, look, create, count, begin, renew, planRun, complete, stop, makePlan, applyPlan,
}

// entry is one request of a history and its answer, as it is written to a file.
type entry struct {
	Part    string // what the request is about, its kind first: parts do not affect each other
	Client  int
	Call    int64 // ns since the history began
	Return  int64
	Do      verb
	ID      string            `json:",omitempty"` // of the record that is meant
	Cell    string            `json:",omitempty"`
	Set     map[string]string `json:",omitempty"` // members that are sent
	Status  int               `json:",omitempty"` // of the answer; 0 for one that has none
	Effect  string            `json:",omitempty"` // X-Mooring-Result
	Refused string            `json:",omitempty"` // code of an answer that says that nothing was done
	Got     map[string]string `json:",omitempty"` // members of the answer
}

func (e *entry) lost() bool { return e.Return == unanswered }

// isDone reports whether a request was answered as one that was carried out.
func (e *entry) isDone() bool {
	return e.Status == statusOK || e.Status == statusAccepted || e.Do == count
}

func (e *entry) String() string {
	said := fmt.Sprint(e.Status)
	if e.lost() {
		said = "no answer"
	}
	if e.Refused != "" {
		said = "refused, " + e.Refused
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s %s %v", e.Do, e.ID, e.Cell, compact(e.Set))) + " -> " +
		strings.TrimSpace(fmt.Sprintf("%s %s %v", said, e.Effect, compact(e.Got)))
}

func compact(m map[string]string) string {
	if len(m) == 0 {
		return ""
	}
	return strings.TrimPrefix(fmt.Sprint(m), "map")
}

// kind is the first word of a part.
func kind(part string) string {
	k, _, _ := strings.Cut(part, " ")
	return k
}

// verdict is what a check of one part came to.
type verdict struct {
	part    string
	result  porcupine.CheckResult
	model   porcupine.Model
	info    porcupine.LinearizationInfo
	entries []*entry
}

// check decides whether the entries of one part are linearizable.
func check(entries []*entry, limit time.Duration) verdict {
	v := verdict{part: entries[0].Part, entries: entries, model: modelOf(kind(entries[0].Part))}
	ops := make([]porcupine.Operation, len(entries))
	for i, e := range entries {
		ops[i] = porcupine.Operation{ClientId: e.Client, Input: e, Call: e.Call, Output: e, Return: e.Return}
	}
	v.result, v.info = porcupine.CheckOperationsVerbose(v.model, ops, limit)
	return v
}

// write writes a history as text and drawn as a page into a folder, and returns the paths.
func (v *verdict) write(t *testing.T, dir string) (text, page string) {
	t.Helper()
	name := filepath.Join(dir, strings.ReplaceAll(v.part, " ", "-"))
	text, page = name+".jsonl", name+".html"
	f, err := os.Create(text)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := json.NewEncoder(f)
	for _, e := range v.entries {
		if err := lines.Encode(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := porcupine.VisualizePath(v.model, v.info, page); err != nil {
		t.Fatal(err)
	}
	return text, page
}

// read reads what write has written.
func read(t *testing.T, name string) (entries []*entry) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		e := new(entry)
		if err := json.Unmarshal(lines.Bytes(), e); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		entries = append(entries, e)
	}
	return entries
}
