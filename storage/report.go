package storage

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"mooring/placements"
	"mooring/storage/record"
)

// Report is a saved query with its visualization (interface.md, Report), and its placements.
type Report struct {
	record.ReportHead
	record.LastRefresh
	Placements []Placed `json:"-"` // ordered by placedAt, then id
	echoes     string   // slot of the placement that Echo repeats, empty for none
}

// The fields of a report's hash.
const (
	fieldPublicID      = "publicId"
	fieldSynthesizedID = "synthesizedId"
	fieldDefinition    = "definition"
	fieldVersion       = "version" // of the definition, for conditions
	fieldRefresh       = "stamp"   // LastRefresh but for Echo
	fieldEcho          = "located" // see Echo
	fieldManaged       = "managed" // ManagedBy, of workbooks too; absent: managed by no project
)

// newHead is the head of a report of the deployment.
func newHead(k deploymentKeys, id int64, storedPublicID, synthesizedID string) record.ReportHead {
	h := record.ReportHead{
		ID: id, DeploymentID: k.ID, Type: "REPORT", PublicID: storedPublicID,
		StoredPublicID: storedPublicID, SynthesizedID: synthesizedID,
	}
	if h.PublicID == "" {
		h.PublicID = synthesizedID
	}
	return h
}

// readHead makes the head of a report of its hash; ErrNotFound when that is empty.
func (s *Store) readHead(k deploymentKeys, id int64, hash map[string]string) (h record.ReportHead, err error) {
	if len(hash) == 0 {
		return h, ErrNotFound
	}
	h = newHead(k, id, hash[fieldPublicID], hash[fieldSynthesizedID])
	h.DefinitionText = hash[fieldDefinition]
	if h.Definition, err = s.readDefinition(k.Report(id), h.DefinitionText); err != nil {
		return h, fmt.Errorf("report %d: %w", id, err)
	}
	h.UserID = h.CreatedBy
	if h.ManagedBy, err = readManaged(hash); err != nil {
		return h, fmt.Errorf("report %d: %w", id, err)
	}
	return h, nil
}

// readManaged reads which project manages the asset of a hash.
func readManaged(hash map[string]string) (by *record.ManagedBy, err error) {
	if text := hash[fieldManaged]; text != "" {
		if err = json.Unmarshal([]byte(text), &by); err != nil {
			return nil, fmt.Errorf("%s: %w", fieldManaged, err)
		}
	}
	return by, nil
}

// readReport makes a report of its two hashes; ErrNotFound when the first is empty.
func (s *Store) readReport(k deploymentKeys, id int64, hash, placed map[string]string) (*Report, error) {
	head, err := s.readHead(k, id, hash)
	if err != nil {
		return nil, err
	}
	r := &Report{ReportHead: head}
	if err = r.readLastRefresh(hash[fieldRefresh], hash[fieldEcho]); err != nil {
		return nil, err
	}
	if r.Placements, err = readPlacements(placed); err != nil {
		return nil, fmt.Errorf("report %d: %w", id, err)
	}
	return r, nil
}

// The bounds of the cache of decoded definitions: the bytes of their texts, and what one counts for at least.
const (
	maxDefinitionBytes = 64 << 20
	minDefinitionBytes = 16 << 10
)

// decoded is a definition and the text that it was decoded from.
type decoded struct {
	text string
	record.Definition
}

// readDefinition decodes text, the definition of the report at key. What the result points to is shared: read only. The stored text comes
// with every read, and what was decoded before counts only for exactly that text.
func (s *Store) readDefinition(key, text string) (record.Definition, error) {
	if seen, ok := s.definitions.get(key); ok && seen.text == text {
		return seen.Definition, nil
	}
	var d record.Definition
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		return d, fmt.Errorf("definition: %w", err)
	}
	s.keepDefinition(key, text, d)
	return d, nil
}

// keepDefinition remembers that text is d, which must not change any more.
func (s *Store) keepDefinition(key, text string, d record.Definition) {
	s.definitions.put(key, decoded{text, d}, max(len(text), minDefinitionBytes))
}

// define stores the definition of h.
func (t *txn) define(k deploymentKeys, h *record.ReportHead) {
	h.DefinitionText = t.encode(fieldDefinition, h.Definition)
	t.Then("HSET", k.Report(h.ID), fieldDefinition, h.DefinitionText, fieldVersion, h.Version)
}

// storeRefresh stores who refreshed r last.
func (t *txn) storeRefresh(k deploymentKeys, r *Report) {
	t.Then("HSET", k.Report(r.ID), fieldRefresh, r.LastRefresh.RefreshJSON())
}

// storeEcho stores which placement r repeats.
func (t *txn) storeEcho(k deploymentKeys, r *Report) {
	t.Then("HSET", k.Report(r.ID), fieldEcho, echoText(r.echoes, r.Echo))
}

// storeLastRefresh stores both.
func (t *txn) storeLastRefresh(k deploymentKeys, r *Report) {
	t.Then("HSET", k.Report(r.ID), fieldRefresh, r.LastRefresh.RefreshJSON(), fieldEcho, echoText(r.echoes, r.Echo))
}

// readLastRefresh reads the two fields that hold r's last refresh; empty texts hold nothing.
func (r *Report) readLastRefresh(refresh, echo string) (err error) {
	r.LastRefresh = record.LastRefresh{}
	if refresh != "" {
		if err := json.Unmarshal([]byte(refresh), &r.LastRefresh); err != nil {
			return fmt.Errorf("report %d: stamp: %w", r.ID, err)
		}
	}
	r.echoes, r.Echo, err = readEcho(r.ID, echo)
	return err
}

// refreshedBy makes r show who refreshed it.
func (r *Report) refreshedBy(at string, who record.Actor) {
	user := who.User()
	r.RefreshedAt, r.RefreshedBy, r.RefreshedByUser = at, user.ID, &user
}

// Find returns the placement of that id.
func (r *Report) Find(placementID string) (Placed, bool) {
	for _, p := range r.Placements {
		if p.ID == placementID {
			return p, true
		}
	}
	return Placed{}, false
}

// Places lists the bare placements, in the same order.
func (r *Report) Places() []placements.Placement {
	list := make([]placements.Placement, len(r.Placements))
	for i, p := range r.Placements {
		list[i] = p.Placement
	}
	return list
}

// standsAt reports whether a placement of the report has that address.
func (r *Report) standsAt(address string) bool {
	return slices.ContainsFunc(r.Placements, func(p Placed) bool { return p.position().key == address })
}

func parseID(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) }

// View returns r as an answer shows it.
func (r *Report) View() *record.ReportView {
	v := &record.ReportView{ReportHead: r.ReportHead, LastRefresh: r.LastRefresh.Members()}
	v.Placements = make([]record.PlacementView, 0, len(r.Placements))
	for i := range r.Placements {
		v.Placements = append(v.Placements, r.Placements[i].view())
	}
	return v
}

func (p *Placed) view() record.PlacementView {
	return record.PlacementView{
		Slot: p.position().slot, JSON: p.text,
		PlacedAt: p.PlacedAt, RefreshedAt: p.RefreshedAt, QueryChecksum: p.QueryChecksum, LastRun: p.LastRun,
	}
}

// viewRecord returns what an answer shows of a record, and of the last run on it if there was one.
func viewRecord(slot, text, run string) (p record.PlacementView, err error) {
	facts, body, err := splitRecord(slot, text)
	if err != nil {
		return p, err
	}
	p = record.PlacementView{
		Slot: slot, JSON: body, PlacedAt: facts[factPlacedAt], RefreshedAt: facts[factRefreshedAt], QueryChecksum: facts[factQuery],
	}
	p.LastRun, err = decodeLastRun(slot, run)
	return p, err
}

// viewPlacements returns what an answer shows of a report's placements hash.
func viewPlacements(hash map[string]string) ([]record.PlacementView, error) {
	views := make([]record.PlacementView, 0, len(hash)/2)
	err := records(hash, func(slot, text, run string) error {
		p, err := viewRecord(slot, text, run)
		views = append(views, p)
		return err
	})
	slices.SortFunc(views, func(a, b record.PlacementView) int { return byPlacing(a.PlacedAt, a.Slot, b.PlacedAt, b.Slot) })
	return views, err
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
