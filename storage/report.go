package storage

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"mooring/placements"
	"mooring/storage/journal"
	"mooring/storage/record"
)

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

// define stores the definition of h, and says so to who follows the deployment.
func (t *txn) define(k deploymentKeys, h *record.ReportHead) {
	h.DefinitionText = t.encode(fieldDefinition, h.Definition)
	t.Then("HSET", k.Report(h.ID), fieldDefinition, h.DefinitionText, fieldVersion, h.Version)
	t.Then("publish", k.Events(), string(record.EventReportChanged), h.ID, record.ReportEvent(h))
}

// archive keeps the definition of r that is stored, old, before another one takes its place.
func (t *txn) archive(k deploymentKeys, r *Report, old *record.Definition) {
	if err := journal.Archive(&t.Txn, k.DeploymentKeys, r.ID, old, len(r.DefinitionText)); err != nil && t.err == nil {
		t.err = err
	}
}

// storeRefresh stores who refreshed r last.
func (t *txn) storeRefresh(k deploymentKeys, r *Report) {
	t.Then("HSET", k.Report(r.ID), fieldRefresh, r.LastRefresh.RefreshJSON())
}

// storeEcho stores which placement r repeats.
func (t *txn) storeEcho(k deploymentKeys, r *Report) {
	t.Then("HSET", k.Report(r.ID), fieldEcho, record.EchoText(r.echoes, r.Echo))
}

// storeLastRefresh stores both.
func (t *txn) storeLastRefresh(k deploymentKeys, r *Report) {
	t.Then("HSET", k.Report(r.ID), fieldRefresh, r.LastRefresh.RefreshJSON(), fieldEcho, record.EchoText(r.echoes, r.Echo))
}

// readLastRefresh reads the two fields that hold r's last refresh; empty texts hold nothing.
func (r *Report) readLastRefresh(refresh, echo string) (err error) {
	r.LastRefresh = record.LastRefresh{}
	if refresh != "" {
		if err := json.Unmarshal([]byte(refresh), &r.LastRefresh); err != nil {
			return fmt.Errorf("report %d: stamp: %w", r.ID, err)
		}
	}
	r.echoes, r.Echo, err = record.ReadEcho(r.ID, echo)
	return err
}

// refreshedBy makes r show who refreshed it.
func (r *Report) refreshedBy(at string, who record.Actor) {
	user := who.User()
	r.RefreshedAt, r.RefreshedBy, r.RefreshedByUser = at, user.ID, &user
}

// Find returns the placement of that id, or the one with which that became one.
func (r *Report) Find(placementID string) (Placed, bool) {
	for _, p := range r.Placements {
		if p.Is(placementID) {
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

// The bounds of what a Store remembers of reports and placements; a placement counts once by its slot and once by its address.
const (
	maxHeads  = 4096
	maxPlaced = 32768
)

// trust is how far a write may be decided on what this process remembers of placements.
type trust int

const (
	trustNothing trust = iota // it needs checksums, which are not remembered
	trustSeen                 // all candidates must have been seen
	trustUnseen               // a candidate that was never seen may be taken for absent
)

// remember keeps a report as it was just read or written, and the placements that r has now instead of those that stood at before.
func (s *Store) remember(k deploymentKeys, r *Report, before []*position) {
	ref := k.ref(r.ID)
	if seen, ok := s.heads.get(ref); !ok || seen.DefinitionText != r.DefinitionText || seen.StoredPublicID != r.StoredPublicID {
		s.rememberHead(k, r.ReportHead)
	}
	for _, gone := range before {
		s.placed.remove(placedRef{ref, gone.slot}, placedRef{ref, gone.key})
	}
	for i := range r.Placements {
		p := r.Placements[i].withoutChecksums()
		at := p.position()
		s.placed.put(placedRef{ref, at.slot}, &p, 1)
		s.placed.put(placedRef{ref, at.key}, &p, 1)
	}
}

// rememberHead keeps a report as it was just read or written.
func (s *Store) rememberHead(k deploymentKeys, head record.ReportHead) {
	head.Effect = 0
	s.heads.put(k.ref(head.ID), &head, 1)
}

// recall returns a report as this process last saw it, with those of its placements that n names; nil when it did not see all that it has
// to.
func (s *Store) recall(k deploymentKeys, id int64, n candidates, how trust) *Report {
	ref := k.ref(id)
	head, ok := s.heads.get(ref)
	if !ok || how == trustNothing || n.spot != "" {
		return nil
	}
	r := &Report{ReportHead: *head}
	byID, hasID := s.placed.get(placedRef{ref, n.id})
	byKey, hasKey := s.placed.get(placedRef{ref, n.key})
	if how == trustSeen && (n.id != "" && !hasID || n.key != "" && !hasKey) {
		return nil
	}
	if n.id != "" && hasID {
		r.Placements = append(r.Placements, *byID)
	}
	if n.key != "" && hasKey && (n.id == "" || !hasID || byID.Rev != byKey.Rev) {
		r.Placements = append(r.Placements, *byKey)
	}
	return r
}

// lockReport takes the lock of a report, and those of more, and loads the report. ErrNotFound, and then no lock is held.
func (s *Store) lockReport(ctx context.Context, k deploymentKeys, id int64, more ...string) (held, *Report, error) {
	locks := append([]string{k.ReportLock(id)}, more...)
	h, hashes, err := s.lockLoad(ctx, locks, []string{k.Report(id), k.Placements(id)})
	if err != nil {
		return held{}, nil, err
	}
	r, err := s.readReport(k, id, hashes[0], hashes[1])
	if err != nil {
		s.unlock(ctx, h)
		return held{}, nil, err
	}
	return h, r, nil
}

// giveIDs assigns an id to the placements of t that have none, all of them or none, and loads the report.
func (s *Store) giveIDs(ctx context.Context, k deploymentKeys, t record.RunTarget) (*Report, error) {
	h, r, err := s.lockReport(ctx, k, t.ReportID)
	if err != nil {
		return nil, err
	}
	defer s.unlock(ctx, h)
	var tx txn
	for i, p := range r.Placements {
		if !needsID(t, p) {
			continue
		}
		p.ID = rand.Text()
		rewritePlacement(&tx, k, r, i, p.Placement)
	}
	if tx.Idle() {
		return r, nil
	}
	return r, s.commit(ctx, h, &tx)
}
