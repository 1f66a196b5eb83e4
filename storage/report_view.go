package storage

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"mooring/placements"
	"mooring/storage/record"
)

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
}

// View returns r as an answer shows it.
func (r *Report) View() *ReportView {
	v := &ReportView{ReportHead: r.ReportHead, LastRefresh: r.lastRefreshMembers(), Placements: make([]PlacementView, 0, len(r.Placements))}
	for i := range r.Placements {
		v.Placements = append(v.Placements, r.Placements[i].view())
	}
	return v
}

func (p *Placed) view() PlacementView {
	return PlacementView{p.position().slot, p.text, p.PlacedAt, p.RefreshedAt, p.QueryChecksum, p.LastRun}
}

// DefinitionJSON is the JSON of the definition, an object, as it is stored; without meta if there is none, as in a list.
func (h *ReportHead) DefinitionJSON() (string, error) {
	if h.DefinitionText != "" {
		return h.DefinitionText, nil
	}
	if h.Meta == nil { // of a list without it
		return record.Encode(struct {
			record.Definition
			Meta *struct{} `json:"meta,omitempty"`
		}{Definition: h.Definition})
	}
	return record.Encode(h.Definition)
}

// Status is the placement's syncStatus under the report's current query checksum.
func (p PlacementView) Status(currentQueryChecksum string) placements.Status {
	return placements.SyncStatus(placements.Placement{QueryChecksum: p.QueryChecksum, RefreshedAt: p.RefreshedAt}, currentQueryChecksum, p.LastRun)
}

// WithoutChecksum returns p without its resultChecksum, which may be large.
func (p PlacementView) WithoutChecksum() PlacementView {
	before, after, found := strings.Cut(p.JSON, `,"resultChecksum":`) // in a text of the placement the quotes are escaped
	if !found {
		return p
	}
	d := json.NewDecoder(strings.NewReader(after))
	if d.Decode(&skipped{}) == nil {
		p.JSON = before + after[d.InputOffset():]
	}
	return p
}

// viewRecord returns what an answer shows of a record, and of the last run on it if there was one.
func viewRecord(slot, record, run string) (p PlacementView, err error) {
	facts, body, err := splitRecord(slot, record)
	if err != nil {
		return p, err
	}
	p = PlacementView{Slot: slot, JSON: body, PlacedAt: facts[factPlacedAt], RefreshedAt: facts[factRefreshedAt], QueryChecksum: facts[factQuery]}
	p.LastRun, err = decodeLastRun(slot, run)
	return p, err
}

// viewPlacements returns what an answer shows of a report's placements hash.
func viewPlacements(hash map[string]string) ([]PlacementView, error) {
	views := make([]PlacementView, 0, len(hash)/2)
	err := records(hash, func(slot, record, run string) error {
		p, err := viewRecord(slot, record, run)
		views = append(views, p)
		return err
	})
	slices.SortFunc(views, func(a, b PlacementView) int { return byPlacing(a.PlacedAt, a.Slot, b.PlacedAt, b.Slot) })
	return views, err
}

// lastRefreshMembers returns ReportView.LastRefresh of r.
func (r *Report) lastRefreshMembers() string {
	return string(appendEcho(appendRefresh(make([]byte, 0, 256), &r.LastRefresh), &r.Echo))
}

// storedLastRefresh returns ReportView.LastRefresh of the two fields that hold it.
func storedLastRefresh(refresh, echo string) string {
	_, echo = splitEcho(echo)
	var b []byte
	for _, object := range []string{refresh, echo} {
		if len(object) > len("{}") {
			b = append(append(b, ','), object[1:len(object)-1]...)
		}
	}
	return string(b)
}

// refreshJSON is what the field holds that keeps m but for its Echo.
func refreshJSON(m *LastRefresh) string { return asObject(appendRefresh(make([]byte, 0, 256), m)) }

func appendRefresh(b []byte, m *LastRefresh) []byte {
	b = appendMember(b, `,"refreshedAt":`, m.RefreshedAt)
	b = appendUser(b, `,"refreshedBy":`, m.RefreshedBy)
	if u := m.RefreshedByUser; u != nil {
		b = strconv.AppendInt(append(b, `,"refreshedByUser":{"id":`...), u.ID, 10)
		b = appendMember(b, `,"email":`, u.Email)
		b = appendMember(b, `,"firstName":`, u.FirstName)
		b = append(appendMember(b, `,"picture":`, u.Picture), '}')
	}
	return b
}

func appendEcho(b []byte, e *Echo) []byte {
	b = appendMember(b, `,"externalWorkbookId":`, e.ExternalWorkbookID)
	b = appendMember(b, `,"resultLocation":`, e.ResultLocation)
	b = appendMember(b, `,"endResultCell":`, e.EndResultCell)
	return appendMember(b, `,"host":`, string(e.Host))
}

// asObject makes a JSON object of members that each come after a comma.
func asObject(members []byte) string {
	if len(members) == 0 {
		return "{}"
	}
	members[0] = '{'
	return string(append(members, '}'))
}
