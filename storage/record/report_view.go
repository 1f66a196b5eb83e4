package record

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"mooring/placements"
)

// ReportHead is what identifies a report and what was saved of it: all but its placements and what refreshing left on it.
type ReportHead struct {
	ID           int64  `json:"id"`
	DeploymentID int64  `json:"deploymentId"`
	PublicID     string `json:"publicId"` // the stored one, else the synthesized one
	Type         string `json:"type"`     // REPORT
	UserID       int64  `json:"userId"`   // same as createdBy
	Definition
	ManagedBy      *ManagedBy  `json:"managedBy,omitempty"` // as last read: adopting a report makes no new version of it
	Effect         WriteEffect `json:"-"`                   // of the write that returned it
	StoredPublicID string      `json:"-"`                   // empty: none assigned yet
	SynthesizedID  string      `json:"-"`                   // empty: created with a publicId
	DefinitionText string      `json:"-"`                   // the JSON of Definition as stored; empty in a list without meta
}

// LastRefresh is what placing and refreshing leave on a report without making a new version. Its JSON is part of the wire, and but for
// Echo the hash field "stamp".
type LastRefresh struct {
	RefreshedAt     string `json:"refreshedAt,omitempty"`
	RefreshedBy     int64  `json:"refreshedBy,omitempty"`
	RefreshedByUser *User  `json:"refreshedByUser,omitempty"`
	Echo
}

// Echo is the part of LastRefresh that repeats the placement recorded last. It has a field of the report's hash to itself, so that a writer
// who places and one who refreshes need not know of each other. The field holds the placement's slot, a line feed and the JSON.
type Echo struct {
	ExternalWorkbookID string          `json:"externalWorkbookId,omitempty"`
	ResultLocation     string          `json:"resultLocation,omitempty"`
	EndResultCell      string          `json:"endResultCell,omitempty"`
	Host               placements.Host `json:"host,omitempty"`
}

// EchoOf returns the Echo of a report that repeats p.
func EchoOf(p *placements.Placement) Echo {
	return Echo{p.WorkbookID, p.ResultLocation, p.EndResultCell, p.Host}
}

// ReportView is a report as an answer shows it. What is stored as JSON passes through, since a report may have thousands of placements.
// What depends on the caller (canEdit, canManage) or on other records (folderPath) is the caller's to add.
type ReportView struct {
	ReportHead
	LastRefresh string          // JSON of LastRefresh: its members, each after a comma
	Placements  []PlacementView // ordered by placedAt, then id
}

// PlacementView is a placement as an answer shows it.
type PlacementView struct {
	Slot          string // orders placements that were placed at the same time
	JSON          string // of the Placement
	PlacedAt      string
	RefreshedAt   string
	QueryChecksum string // of the last write
	LastRun       *placements.LastRun

	Values string // the JSON of its ValueKeys, which is never shown; empty: it has none
}

// DocumentPlacement is a placement in a spreadsheet, of whatever report of the tenant, with what decides who may see it.
type DocumentPlacement struct {
	Member       string // names it in the index of its spreadsheet
	DeploymentID int64
	ReportID     int64
	Definition   *Definition // of its report; read only
	Placement    placements.Placement
	View         PlacementView
	Claim        int64 // microseconds since 1970 when someone last connected or rewrote it
}

// ConnectResult is what a connect did.
type ConnectResult struct {
	Report    *ReportView // a minimal one shows only the placement connected
	Placement *placements.Placement
	Overlaps  []DocumentPlacement // the placements, of whatever report, that claim a common cell
}

// DefinitionJSON is the JSON of the definition, an object, as it is stored; without meta if there is none, as in a list.
func (h *ReportHead) DefinitionJSON() (string, error) {
	if h.DefinitionText != "" {
		return h.DefinitionText, nil
	}
	if h.Meta == nil { // of a list without it
		return Encode(struct {
			Definition
			Meta *struct{} `json:"meta,omitempty"`
		}{Definition: h.Definition})
	}
	return Encode(h.Definition)
}

// Status is the placement's syncStatus as its report is now.
func (p PlacementView) Status(of *Definition) placements.Status {
	written := placements.Placement{QueryChecksum: p.QueryChecksum, RefreshedAt: p.RefreshedAt}
	if len(of.Parameters) > 0 {
		written.QueryChecksum = p.keys().Written(written.QueryChecksum, of.Parameters)
	}
	return placements.SyncStatus(written, of.CurrentChecksum, p.LastRun)
}

// keys say which values the last write used, and which ones the placement says.
func (p PlacementView) keys() (keys placements.ValueKeys) {
	if p.Values != "" {
		_ = json.Unmarshal([]byte(p.Values), &keys) // what is stored was encoded
	}
	return keys
}

// ViewOf returns what an answer shows of p, whose stored JSON that is.
func ViewOf(slot, text string, p *placements.Placement, run *placements.LastRun) PlacementView {
	return PlacementView{
		Slot: slot, JSON: text, PlacedAt: p.PlacedAt, RefreshedAt: p.RefreshedAt, QueryChecksum: p.QueryChecksum, LastRun: run, Values: valuesText(p),
	}
}

// Append appends p as answers show it: what is stored, and what is computed on read (decisions.md §6).
func (p PlacementView) Append(body []byte, of *Definition) ([]byte, error) {
	own := p.JSON[:len(p.JSON)-1] // without its closing brace
	body = append(append(body, own...), `,"syncStatus":"`...)
	status := p.Status(of)
	body = append(append(body, status...), '"')
	if status == placements.Changed && p.QueryChecksum == of.CurrentChecksum {
		body = append(body, `,"valuesChanged":true`...)
	}
	if numbers := p.keys().Numbers(); len(numbers) > 0 {
		text, err := Encode(numbers)
		if err != nil {
			return nil, err
		}
		body = append(append(body, `,"parameterNumbers":`...), text...)
	}
	if p.LastRun != nil {
		run, err := Encode(p.LastRun)
		if err != nil {
			return nil, err
		}
		body = append(append(body, `,"lastRun":`...), run...)
	}
	return append(body, '}'), nil
}

// WithoutChecksum returns p without its resultChecksum, which may be large.
func (p PlacementView) WithoutChecksum() PlacementView {
	before, after, found := strings.Cut(p.JSON, `,"resultChecksum":`) // in a text of the placement the quotes are escaped
	if !found {
		return p
	}
	d := json.NewDecoder(strings.NewReader(after))
	if d.Decode(&struct{}{}) == nil { // of an object, whatever its members
		p.JSON = before + after[d.InputOffset():]
	}
	return p
}

// Members returns the JSON of m's members, each after a comma.
func (m *LastRefresh) Members() string {
	return string(appendEcho(appendRefresh(make([]byte, 0, 256), m), &m.Echo))
}

// RefreshJSON returns the JSON of m but for its Echo.
func (m *LastRefresh) RefreshJSON() string { return Object(appendRefresh(make([]byte, 0, 256), m)) }

// EchoJSON returns the JSON of e.
func (e *Echo) EchoJSON() string { return Object(appendEcho(make([]byte, 0, 256), e)) }

func appendRefresh(b []byte, m *LastRefresh) []byte {
	b = AppendMember(b, `,"refreshedAt":`, m.RefreshedAt)
	b = appendUser(b, `,"refreshedBy":`, m.RefreshedBy)
	if u := m.RefreshedByUser; u != nil {
		b = strconv.AppendInt(append(b, `,"refreshedByUser":{"id":`...), u.ID, 10)
		b = AppendMember(b, `,"email":`, u.Email)
		b = AppendMember(b, `,"firstName":`, u.FirstName)
		b = append(AppendMember(b, `,"picture":`, u.Picture), '}')
	}
	return b
}

func appendEcho(b []byte, e *Echo) []byte {
	b = AppendMember(b, `,"externalWorkbookId":`, e.ExternalWorkbookID)
	b = AppendMember(b, `,"resultLocation":`, e.ResultLocation)
	b = AppendMember(b, `,"endResultCell":`, e.EndResultCell)
	return AppendMember(b, `,"host":`, string(e.Host))
}

// Object makes a JSON object of members that each come after a comma.
func Object(members []byte) string {
	if len(members) == 0 {
		return "{}"
	}
	members[0] = '{'
	return string(append(members, '}'))
}

// EchoText returns how e is stored with the slot of the placement that it repeats.
func EchoText(slot string, e Echo) string {
	return slot + "\n" + e.EchoJSON()
}

// splitEcho separates the slot from the JSON; the text is empty where nothing is repeated.
func splitEcho(text string) (slot, object string) {
	slot, object, found := strings.Cut(text, "\n")
	if !found {
		return "", slot // of a report from before the slot was kept
	}
	return slot, object
}

// ReadEcho reads what EchoText returned, or nothing.
func ReadEcho(report int64, text string) (slot string, e Echo, err error) {
	slot, object := splitEcho(text)
	if object == "" {
		return "", Echo{}, nil
	}
	if err := json.Unmarshal([]byte(object), &e); err != nil {
		return "", e, fmt.Errorf("report %d: echo: %w", report, err)
	}
	return slot, e, nil
}

// StoredLastRefresh returns ReportView.LastRefresh of the two texts that hold it.
func StoredLastRefresh(refresh, echo string) string {
	_, echo = splitEcho(echo)
	var b []byte
	for _, object := range []string{refresh, echo} {
		if len(object) > len("{}") {
			b = append(append(b, ','), object[1:len(object)-1]...)
		}
	}
	return string(b)
}
