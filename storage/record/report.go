package record

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"mooring/placements"
)

// User is who did something, as the wire shows it.
type User struct {
	ID        int64  `json:"id"`
	Email     string `json:"email,omitempty"`
	FirstName string `json:"firstName,omitempty"`
	Picture   string `json:"picture,omitempty"`
}

// PivotItems is the pivot of a report (interface.md, Report; decisions.md §4). The fields are in alphabetical order, which makes
// their JSON canonical for the query checksum.
type PivotItems struct {
	Columns          []string `json:"columns"`
	DisplayScale     string   `json:"displayScale,omitempty"`
	Filters          []string `json:"filters"`
	Measures         []string `json:"measures"`
	MeasuresAxis     string   `json:"measuresAxis,omitempty"`
	MeasuresPosition string   `json:"measuresPosition,omitempty"`
	Rows             []string `json:"rows"`

	ShowAppliedFilters bool `json:"showAppliedFilters,omitempty"` // above the block, outside the table
	ShowColumnTotals   bool `json:"showColumnTotals"`
	ShowRowTotals      bool `json:"showRowTotals,omitempty"`
}

// The defaults of pivots (decisions.md §4).
const (
	defaultScale    = "model"
	defaultAxis     = "columns"
	defaultPosition = "before"
)

// Plain is p without what is the default anyway: two pivots mean the same exactly if their plain ones are equal. nil stays nil.
func (p *PivotItems) Plain() *PivotItems {
	if p == nil {
		return nil
	}
	plain := *p.whole()
	for _, member := range []struct {
		value     *string
		byDefault string
	}{{&plain.DisplayScale, defaultScale}, {&plain.MeasuresAxis, defaultAxis}, {&plain.MeasuresPosition, defaultPosition}} {
		if *member.value == member.byDefault {
			*member.value = ""
		}
	}
	return &plain
}

// RoleAccess lets the holders of a role do something with a report.
type RoleAccess struct {
	ID      int64    `json:"id"`
	Name    string   `json:"name"`
	Actions []string `json:"actions"`
}

// The values of a report's source (interface.md, Report).
const (
	SourceSheetsA    = string(placements.SheetsA)
	SourceSheetsB    = string(placements.SheetsB)
	SourcePlayground = "PLAYGROUND"
	SourceD3         = "D3"
)

// Definition is what an effective change of which makes a new version of a report. Its JSON is the hash field "definition" and part of
// the wire.
type Definition struct {
	Name            string                 `json:"name"`
	Title           string                 `json:"title"`
	Description     string                 `json:"description"`
	SQLQuery        string                 `json:"sqlQuery"`
	JSONQuery       string                 `json:"jsonQuery"`
	PivotItems      *PivotItems            `json:"pivotItems"`
	RowKey          []string               `json:"rowKey,omitempty"`     // columns that together name a row, for matching edited rows; none: nil
	Parameters      []placements.Parameter `json:"parameters,omitempty"` // what the query asks for; none: nil
	Meta            json.RawMessage        `json:"meta"`                 // an object, compact
	FolderID        *int64                 `json:"folderId"`
	WorkbookID      *int64                 `json:"workbookId"`
	RolesWithAccess []RoleAccess           `json:"rolesWithAccess"`
	Source          string                 `json:"source,omitempty"`
	CreatedAt       string                 `json:"createdAt"`
	UpdatedAt       string                 `json:"updatedAt"`
	CreatedBy       int64                  `json:"createdBy"`
	User            User                   `json:"user"`                // who created it
	UpdatedBy       *User                  `json:"updatedBy,omitempty"` // who made this version; nil: before it was kept
	CurrentChecksum string                 `json:"currentQueryChecksum"`
	Version         int64                  `json:"version"`
}

// Host is where the report's placements stand when nothing else says it: the spreadsheet host that its source names, else SHEETS_A
// (decisions.md §4). A source that no request can have is an error.
func (d *Definition) Host() (placements.Host, error) {
	switch d.Source {
	case SourceSheetsB:
		return placements.SheetsB, nil
	case "", SourceSheetsA, SourcePlayground, SourceD3:
		return placements.SheetsA, nil
	}
	return "", fmt.Errorf("report: unknown source %q", d.Source)
}

// NewDefinition is the definition of a report that who creates now, before its body is applied.
func NewDefinition(source string, who Actor, now string) Definition {
	return Definition{
		Meta: json.RawMessage("{}"), RolesWithAccess: []RoleAccess{}, Source: source,
		CreatedAt: now, UpdatedAt: now, CreatedBy: who.ID, User: who.User(), UpdatedBy: new(who.User()), Version: 1,
	}
}

// ReportInput is the body of create, update and upsert (interface.md, Report request body; decisions.md §4). What decides alone, such as
// types and lengths, is checked by the caller; what needs the stored state is checked here.
//
// The JSON is what a ReportDeclaration has of it.
type ReportInput struct {
	PublicID        placements.Optional[string]                 `json:"-"`
	Name            placements.Optional[string]                 `json:"name,omitzero"`
	Title           placements.Optional[string]                 `json:"title,omitzero"`
	Description     placements.Optional[string]                 `json:"description,omitzero"`
	SQLQuery        placements.Optional[string]                 `json:"sqlQuery,omitzero"`
	JSONQuery       placements.Optional[string]                 `json:"jsonQuery,omitzero"`
	PivotItems      placements.Optional[PivotItems]             `json:"pivotItems,omitzero"`
	RowKey          placements.Optional[[]string]               `json:"rowKey,omitzero"`     // names of columns, distinct
	Parameters      placements.Optional[[]placements.Parameter] `json:"parameters,omitzero"` // all of them
	Meta            placements.Optional[json.RawMessage]        `json:"meta,omitzero"`
	FolderID        placements.Optional[int64]                  `json:"folderId,omitzero"`
	WorkbookID      placements.Optional[int64]                  `json:"-"`
	Source          placements.Optional[string]                 `json:"source,omitzero"`
	Judge           func(*Definition) []placements.Detail       `json:"-"` // what the source says of its parameters; nil: nothing
	ReadBack        bool                                        `json:"-"` // it was read from the service: a publicId that is only synthesized stays so
	SpreadsheetKeys `json:"-"`
}

// ApplyTo sets the fields of d that were sent, and the checksum of the query that follows from them. The error is a *placements.Error where the
// parameters that d then has are not those of its query.
func (in *ReportInput) ApplyTo(d *Definition) (err error) {
	old := *d
	in.Name.Set(&d.Name)
	in.Title.Set(&d.Title)
	in.Description.Set(&d.Description)
	in.SQLQuery.Set(&d.SQLQuery)
	in.JSONQuery.Set(&d.JSONQuery)
	in.PivotItems.SetNullable(&d.PivotItems)
	d.PivotItems = d.PivotItems.whole()
	in.RowKey.Set(&d.RowKey)
	if in.Parameters.Set(&d.Parameters); len(d.Parameters) == 0 {
		d.Parameters = nil
	}
	in.FolderID.SetNullable(&d.FolderID)
	in.WorkbookID.SetNullable(&d.WorkbookID)
	if in.Meta.Sent {
		if d.Meta, err = compactObject(in.Meta.OrZero()); err != nil {
			return fmt.Errorf("meta: %w", err)
		}
	}
	if d.CurrentChecksum != "" && d.sameQuery(&old) {
		return nil
	}
	if d.CurrentChecksum, err = QueryChecksum(d); err != nil || in.Judge == nil || len(d.Parameters) == 0 {
		return err
	}
	if wrong := in.Judge(d); len(wrong) > 0 {
		return placements.Faulty(wrong...)
	}
	return nil
}

// ShowsFilters reports whether the report's blocks have what its query was filtered by in the cell above them.
func (d *Definition) ShowsFilters() bool {
	return d.PivotItems != nil && d.PivotItems.ShowAppliedFilters
}

// sameQuery reports whether what decides the cells is the same in two definitions.
func (d *Definition) sameQuery(o *Definition) bool {
	return d.SQLQuery == o.SQLQuery && d.JSONQuery == o.JSONQuery && reflect.DeepEqual(d.PivotItems, o.PivotItems) &&
		slices.Equal(placements.Signature(d.Parameters), placements.Signature(o.Parameters))
}

// whole returns p with empty lists for those that are missing; nil stays nil.
func (p *PivotItems) whole() *PivotItems {
	if p == nil {
		return nil
	}
	w := *p
	for _, list := range []*[]string{&w.Columns, &w.Filters, &w.Measures, &w.Rows} {
		if *list == nil {
			*list = []string{}
		}
	}
	return &w
}

// Label names the user for people.
func (u *User) Label() string {
	switch {
	case u == nil:
		return ""
	case u.Email != "":
		return u.Email
	case u.FirstName != "":
		return u.FirstName
	case u.ID == 0:
		return ""
	}
	return "user " + strconv.FormatInt(u.ID, 10)
}
