package portable

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"mooring/placements"
	"mooring/storage/record"
)

// ApplyPlan is what applying a bundle would do, as it is shown (faces.md §5). Times are RFC 3339, UTC, with milliseconds.
type ApplyPlan struct {
	ID          string         `json:"id"`
	Hash        string         `json:"hash"` // of all that the plan would do: two plans of a bundle with one hash do the same
	Project     string         `json:"project"`
	Environment string         `json:"environment,omitempty"`
	Deployment  int64          `json:"deployment"`
	CreatedAt   string         `json:"createdAt"`
	ExpiresAt   string         `json:"expiresAt"`
	AppliedAt   string         `json:"appliedAt,omitempty"`
	Summary     Summary        `json:"summary"`
	Assets      []PlannedAsset `json:"assets"` // those of the bundle, in its order, then those that are deleted or kept
}

// Summary counts the assets of a plan by their actions.
type Summary struct {
	Create    int `json:"create"`
	Update    int `json:"update"`
	Unchanged int `json:"unchanged"`
	Adopt     int `json:"adopt"`
	Conflict  int `json:"conflict"`
	Delete    int `json:"delete"`
	Kept      int `json:"kept"`
}

// Assets is how many assets the plan has.
func (s *Summary) Assets() int {
	return s.Create + s.Update + s.Unchanged + s.Adopt + s.Conflict + s.Delete + s.Kept
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

// Action is what a plan does with an asset.
type Action string

// The actions.
const (
	ActionCreate    Action = "create"
	ActionUpdate    Action = "update"
	ActionUnchanged Action = "unchanged"
	ActionAdopt     Action = "adopt"    // the project becomes its manager, and nothing changes but placer and whether it is protected
	ActionConflict  Action = "conflict" // Message says why; a plan with one cannot be applied
	ActionDelete    Action = "delete"
	ActionKept      Action = "kept" // no asset of the bundle, and Message says why it stays
)

// PlannedAsset is what a plan does with one asset. Empty members are left out.
type PlannedAsset struct {
	Kind      AssetKind         `json:"kind"`
	Ref       string            `json:"ref"`
	Called    string            `json:"name,omitempty"`   // of what is deleted or kept: its name, of a placement its report's
	Report    string            `json:"report,omitempty"` // publicId of the report of a placement or schedule
	Action    Action            `json:"action"`
	Version   int64             `json:"version,omitempty"` // of the asset that is changed, as planned on
	Changes   []MemberChange    `json:"changes,omitempty"`
	Drift     *Drift            `json:"drift,omitempty"`
	ManagedBy *record.ManagedBy `json:"managedBy,omitempty"` // before
	Columns   *ColumnDiff       `json:"columns,omitempty"`
	Documents []string          `json:"documents,omitempty"` // the spreadsheets whose cells will change
	Preview   string            `json:"preview,omitempty"`   // what the next write does to the sheet, in words; of a placement
	NextFires *FireChange       `json:"nextFires,omitempty"`
	Deleted   *Deletion         `json:"deleted,omitempty"` // by hand, of an asset that is created again
	Message   string            `json:"message,omitempty"`
	Error     *QueryFault       `json:"error,omitempty"`
}

// Name is the asset's name, such as report:RevByRegion1.
func (a *PlannedAsset) Name() string { return string(a.Kind) + ":" + a.Ref }

// Drift is what was changed on the server since the project applied an asset, as far as the bundle does not say the same by now.
type Drift struct {
	By       string   `json:"by,omitempty"`
	At       string   `json:"at,omitempty"`
	Pointers []string `json:"pointers"`
}

// ColumnDiff says which columns a changed query has more and less than the last run.
type ColumnDiff struct {
	Appear []string       `json:"appear,omitempty"`
	Vanish []ColumnVanish `json:"vanish,omitempty"`
	// Changed are those that stay, with another type; not told by plans.
	Changed []ColumnType `json:"changed,omitempty"`
}

// ColumnType says of which type a column was and will be.
type ColumnType struct {
	Name   string `json:"name"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// ColumnVanish is a column that vanishes, with what shows it.
type ColumnVanish struct {
	Name       string   `json:"name"`
	Placements []string `json:"placements,omitempty"`
	Formulas   []string `json:"formulas,omitempty"`
}

// FireChange says when a schedule fires next, before and after.
type FireChange struct {
	Before []string `json:"before,omitempty"`
	After  []string `json:"after,omitempty"`
}

// QueryFault is what a source finds wrong with a query. Line and Column count from 1; 0 is not known.
type QueryFault struct {
	Code    placements.Code `json:"code"`
	Message string          `json:"message"`
	Line    int             `json:"line,omitempty"`
	Column  int             `json:"column,omitempty"`
}

// finish counts the actions and takes the hash. What sources and clocks add to a plan is no part of it, nor is what is kept.
func (p *ApplyPlan) finish() error {
	type content struct {
		Kind    AssetKind
		Ref     string
		Action  Action
		Version int64
		Manager string
		Changes []MemberChange
	}
	all := make([]content, 0, len(p.Assets))
	for i := range p.Assets {
		a := &p.Assets[i]
		p.Summary.add(a.Action)
		if a.Action != ActionKept {
			all = append(all, content{a.Kind, a.Ref, a.Action, a.Version, manager(a.ManagedBy), a.Changes})
		}
	}
	text, err := record.Encode([]any{p.Project, p.Deployment, all})
	sum := sha256.Sum256([]byte(text))
	p.Hash = hex.EncodeToString(sum[:])
	return err
}

func (s *Summary) add(a Action) {
	switch a {
	case ActionCreate:
		s.Create++
	case ActionUpdate:
		s.Update++
	case ActionUnchanged:
		s.Unchanged++
	case ActionAdopt:
		s.Adopt++
	case ActionConflict:
		s.Conflict++
	case ActionDelete:
		s.Delete++
	case ActionKept:
		s.Kept++
	}
}

// Applicable returns nil for a plan without conflicts and errors, else the *placements.Error that says which assets have some.
func (p *ApplyPlan) Applicable() error {
	e := placements.Errorf(placements.CodePlanConflicts,
		"The plan has conflicts or errors, and nothing was applied: see details, resolve them and plan again.")
	for i := range p.Assets {
		a := &p.Assets[i]
		message := a.Message
		if a.Error != nil {
			message = a.Error.Message
		}
		if a.Action == ActionConflict || a.Error != nil {
			e.Details = append(e.Details, a.detail(i, placements.CodePlanConflicts, message))
		}
	}
	if len(e.Details) == 0 {
		return nil
	}
	e.Details = e.Details[:min(len(e.Details), placements.MaxDetails)]
	return e
}

// detail is a fault of the plan's asset of that index.
func (a *PlannedAsset) detail(index int, code placements.Code, message string) placements.Detail {
	return placements.Detail{Pointer: fmt.Sprintf("/assets/%d", index), Code: code, Message: a.Name() + ": " + message}
}

// manager is the project that manages an asset, empty for none.
func manager(m *record.ManagedBy) string {
	if m == nil {
		return ""
	}
	return m.Project
}
