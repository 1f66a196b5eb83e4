package ascode

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Plan is what an apply would do, as the server made it.
type Plan struct {
	ID          string    `json:"id"`
	Hash        string    `json:"hash"`
	Project     string    `json:"project"`
	Environment string    `json:"environment,omitempty"`
	Deployment  int64     `json:"deployment"`
	CreatedAt   string    `json:"createdAt,omitempty"`
	ExpiresAt   string    `json:"expiresAt,omitempty"`
	AppliedAt   string    `json:"appliedAt,omitempty"`
	Summary     Summary   `json:"summary"`
	Assets      []Planned `json:"assets"`
}

// Summary counts the assets of a plan by what would become of them.
type Summary struct {
	Create    int `json:"create"`
	Update    int `json:"update"`
	Unchanged int `json:"unchanged"`
	Adopt     int `json:"adopt"`
	Conflict  int `json:"conflict"`
	Delete    int `json:"delete"`
	Kept      int `json:"kept"`
}

// Action is what would become of an asset.
type Action string

// The actions of a plan. A kept asset has no file here, and the message says why it stays.
const (
	Create    Action = "create"
	Update    Action = "update"
	Unchanged Action = "unchanged"
	Adopt     Action = "adopt"
	Conflicts Action = "conflict"
	Delete    Action = "delete"
	Kept      Action = "kept"
)

func (a Action) known() bool {
	return slices.Contains([]Action{Create, Update, Unchanged, Adopt, Conflicts, Delete, Kept}, a)
}

// Planned is what would become of one asset.
type Planned struct {
	Kind      Kind          `json:"kind"`
	Ref       string        `json:"ref"`
	Called    string        `json:"name,omitempty"` // of what is deleted or kept
	Action    Action        `json:"action"`
	Changes   []Difference  `json:"changes,omitempty"`
	Drift     *Drift        `json:"drift,omitempty"`
	ManagedBy *Manager      `json:"managedBy,omitempty"`
	Columns   *Columns      `json:"columns,omitempty"`
	Documents []string      `json:"documents,omitempty"`
	Preview   string        `json:"preview,omitempty"`
	NextFires *Fires        `json:"nextFires,omitempty"`
	Deleted   *Deletion     `json:"deleted,omitempty"`
	Message   string        `json:"message,omitempty"`
	Error     *PlannedError `json:"error,omitempty"`

	file string // where it stands; empty for nowhere or not known
}

// Difference is a member of a definition that would change, by its JSON pointer.
type Difference struct {
	Pointer string `json:"pointer"`
	Before  any    `json:"before,omitempty"`
	After   any    `json:"after,omitempty"`
}

// Drift is what was changed on the server since the last apply.
type Drift struct {
	By       string   `json:"by,omitempty"`
	At       string   `json:"at,omitempty"`
	Pointers []string `json:"pointers,omitempty"`
}

// Manager is the project that an asset belongs to.
type Manager struct {
	Project   string `json:"project"`
	AppliedAt string `json:"appliedAt,omitempty"`
	Revision  int64  `json:"revision,omitempty"`
}

// Columns are those of a report's result that a change of its query adds and removes.
type Columns struct {
	Appear []string   `json:"appear,omitempty"`
	Vanish []Vanished `json:"vanish,omitempty"`
}

// Vanished is a column that a result no longer has, and what shows it or refers to it.
type Vanished struct {
	Name       string   `json:"name"`
	Placements []string `json:"placements,omitempty"`
	Formulas   []string `json:"formulas,omitempty"`
}

// Fires are the next times of a schedule as it is and as it would be.
type Fires struct {
	Before []string `json:"before,omitempty"`
	After  []string `json:"after,omitempty"`
}

// PlannedError is why an asset cannot be applied. Line and Column count from 1 in a report's SQL; 0 is no place.
type PlannedError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
}

// ParsePlan reads a plan as the server sends it. Numbers stay as they are written.
func ParsePlan(text []byte) (*Plan, error) {
	from := json.NewDecoder(bytes.NewReader(text))
	from.UseNumber()
	var p Plan
	if err := from.Decode(&p); err != nil {
		return nil, fmt.Errorf("plan: %w", err)
	}
	for _, a := range p.Assets {
		if !a.Kind.known() || !a.Action.known() {
			return nil, fmt.Errorf("plan: this version of mooring knows no %q of a %q: update it", a.Action, a.Kind)
		}
	}
	return &p, nil
}

// Locate makes a plan that is shown name the folder's files: a derived publicId says nothing to people.
func (p *Plan) Locate(f *Folder) {
	for i, a := range p.Assets {
		if found := f.find(a.Kind, a.Ref); found != nil {
			p.Assets[i].file = found.file.name
		}
	}
}

// where names the file of an asset behind its ref; one that has none is called by its name.
func (a Planned) where() string {
	switch {
	case a.file != "":
		return " in " + a.file
	case a.Called != "":
		return ` "` + a.Called + `"`
	}
	return ""
}

// Empty reports whether an apply would change nothing.
func (p *Plan) Empty() bool {
	for _, a := range p.Assets {
		if a.Action != Unchanged && a.Action != Kept {
			return false
		}
	}
	return true
}

// Faults returns the conflicts and errors of a plan at their places in the folder; nil for none.
func (p *Plan) Faults(f *Folder) Faults {
	var found Faults
	for _, a := range p.Assets {
		switch {
		case a.Error != nil && a.Kind == Report && a.Error.Line > 0:
			found.add(RuleServer, f.SQLPlace(a.Ref, a.Error.Line, a.Error.Column), "%s:%s: %s", a.Kind, a.Ref, a.Error.Message)
		case a.Error != nil:
			found.add(RuleServer, f.PlaceOf(a.Kind, a.Ref, ""), "%s:%s: %s", a.Kind, a.Ref, a.Error.Message)
		case a.Action == Conflicts:
			found.add(RuleServer, f.PlaceOf(a.Kind, a.Ref, ""), "%s:%s: %s", a.Kind, a.Ref, a.conflict())
		}
	}
	return found
}

// conflict says why an asset cannot be applied, and what to do.
func (a Planned) conflict() string {
	switch {
	case a.Message != "":
		return a.Message
	case a.ManagedBy != nil:
		const message = "is managed by the project %s: take it out here, or take it over with --take-over %s:%s"
		return fmt.Sprintf(message, a.ManagedBy.Project, a.Kind, a.Ref)
	}
	return "cannot be applied"
}

// Detail is a fault that the server found in a bundle, by its JSON pointer.
type Detail struct {
	Pointer string `json:"pointer"`
	Message string `json:"message"`
}

// ServerFaults returns what the server found in the folder's bundle at its places.
func (f *Folder) ServerFaults(details []Detail) Faults {
	var found Faults
	for _, d := range details {
		found.add(RuleServer, f.Place(d.Pointer), "%s", d.sentence())
	}
	return found
}

// sentence is the message. One that goes on from the pointer, such as "is too long", begins with the member's name.
func (d Detail) sentence() string {
	first, _ := utf8.DecodeRuneInString(d.Message)
	if !unicode.IsLower(first) {
		return d.Message
	}
	member := d.Pointer
	for _, err := strconv.Atoi(path.Base(member)); err == nil; _, err = strconv.Atoi(path.Base(member)) {
		member = path.Dir(member) // an item of the member's list
	}
	return unescapeStep.Replace(path.Base(member)) + " " + d.Message
}

// String counts what a plan does, in one line.
func (s Summary) String() string {
	var parts []string
	for _, c := range []struct {
		n    int
		what string
	}{
		{s.Create, "to create"},
		{s.Update, "to update"},
		{s.Delete, "to delete"},
		{s.Adopt, "to adopt"},
		{s.Conflict, "in conflict"},
		{s.Kept, "kept"},
		{s.Unchanged, "unchanged"},
	} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	if parts == nil {
		return "nothing to do"
	}
	return strings.Join(parts, ", ")
}
