package record

import (
	"encoding/json"
	"regexp"
	"strings"

	"mooring/placements"
)

// WorkbookDefinition is what is kept of a workbook beside its meta and dashboards: the hash field "definition".
type WorkbookDefinition struct {
	Name      string `json:"name"`
	Slug      string `json:"slug"` // empty: none assigned yet
	FolderID  *int64 `json:"folderId"`
	CreatedAt string `json:"createdAt"`
	UpdatedAt string `json:"updatedAt"`
	CreatedBy int64  `json:"createdBy"`
	User      User   `json:"user"`                // who created it
	UpdatedBy *User  `json:"updatedBy,omitempty"` // who made this version; nil: before it was kept
	Version   int64  `json:"version"`
}

// Workbook is the container of a dashboard (decisions.md §5).
type Workbook struct {
	ID           int64  `json:"id"`
	DeploymentID int64  `json:"deploymentId"`
	Type         string `json:"type"`   // WORKBOOK
	UserID       int64  `json:"userId"` // same as createdBy
	WorkbookDefinition
	Meta               json.RawMessage `json:"meta"`               // an object; holds dashboardDraft
	DashboardDraft     json.RawMessage `json:"dashboardDraft"`     // mirrors meta.dashboardDraft; null: none
	DashboardPublished json.RawMessage `json:"dashboardPublished"` // null: none
	ManagedBy          *ManagedBy      `json:"managedBy,omitempty"`
	Effect             WriteEffect     `json:"-"` // of the write that returned it
}

// WorkbookInput is the body of create, update and upsert. A draft in meta has been checked by the caller. The JSON is what a
// WorkbookDeclaration has of it.
type WorkbookInput struct {
	Name     placements.Optional[string]          `json:"name,omitzero"`
	Slug     placements.Optional[string]          `json:"-"`
	FolderID placements.Optional[int64]           `json:"folderId,omitzero"`
	Meta     placements.Optional[json.RawMessage] `json:"meta,omitzero"`
}

var slugPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,127}$`)

// NormalSlug returns the form in which a slug is kept, or in fault a sentence about what is wrong with it (decisions.md §5).
func NormalSlug(sent string) (slug, fault string) {
	slug = strings.ToLower(strings.TrimSpace(sent))
	if !slugPattern.MatchString(slug) {
		return "", "A slug has 1 to 128 characters, a-z, 0-9, dot, underscore or hyphen, and begins with a letter or digit: " +
			"choose such a one."
	}
	return slug, ""
}

// FixedSlug is the fault of a request that would change w's slug.
func (w *Workbook) FixedSlug() string {
	return "The slug of this workbook is " + w.Slug + " and cannot be changed: leave it out."
}

// SetMeta sets the meta of w and the draft in it.
func (w *Workbook) SetMeta(meta json.RawMessage) error {
	members, _, err := object(meta)
	if err != nil {
		return err
	}
	w.Meta, w.DashboardDraft = meta, members[FieldDraft]
	return nil
}

func (in *WorkbookInput) Apply(w *Workbook) {
	in.Name.Set(&w.Name)
	in.FolderID.SetNullable(&w.FolderID)
}

// Uses are what depends on a report: the workbooks whose dashboard, draft or published, has a chart of it, and the schedules that refresh
// it.
type Uses struct {
	Workbooks []*Workbook
	Schedules []*Schedule
}
