package layout

import (
	"context"
	"encoding/json"
	"fmt"

	"mooring/storage/engine"
	"mooring/storage/keys"
	"mooring/storage/record"
)

// Reader reads reports.
type Reader struct {
	db    *engine.DB
	known *cache[string, decoded] // definitions, by the report's key
}

// decoded is a definition and the text that it was decoded from.
type decoded struct {
	text string
	record.Definition
}

// NewReader returns a reader of the records in db.
func NewReader(db *engine.DB) *Reader {
	return &Reader{db, newCache[string, decoded](maxDefinitionBytes)}
}

// readHead makes the head of a report of its hash; record.ErrNotFound when that is empty.
func (s *Reader) readHead(k keys.DeploymentKeys, id int64, hash map[string]string) (h record.ReportHead, err error) {
	if len(hash) == 0 {
		return h, record.ErrNotFound
	}
	h = NewHead(k, id, hash[FieldPublicID], hash[FieldSynthesizedID])
	h.DefinitionText = hash[FieldDefinition]
	if h.Definition, err = s.Definition(k.Report(id), h.DefinitionText); err != nil {
		return h, fmt.Errorf("report %d: %w", id, err)
	}
	h.UserID = h.CreatedBy
	if h.ManagedBy, err = ReadManaged(hash); err != nil {
		return h, fmt.Errorf("report %d: %w", id, err)
	}
	return h, nil
}

// Report makes a report of its two hashes; record.ErrNotFound when the first is empty.
func (s *Reader) Report(k keys.DeploymentKeys, id int64, hash, placed map[string]string) (*Report, error) {
	head, err := s.readHead(k, id, hash)
	if err != nil {
		return nil, err
	}
	r := &Report{ReportHead: head}
	if err = r.ReadLastRefresh(hash[FieldRefresh], hash[FieldEcho]); err != nil {
		return nil, err
	}
	if r.Placements, err = ReadPlacements(placed); err != nil {
		return nil, fmt.Errorf("report %d: %w", id, err)
	}
	return r, nil
}

// The bounds of the cache of decoded definitions: the bytes of their texts, and what one counts for at least.
const (
	maxDefinitionBytes = 64 << 20
	minDefinitionBytes = 16 << 10
)

// Definition decodes text, the definition of the report at key. What the result points to is shared: read only. The stored text comes
// with every read, and what was decoded before counts only for exactly that text.
func (s *Reader) Definition(key, text string) (record.Definition, error) {
	if seen, ok := s.known.get(key); ok && seen.text == text {
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
func (s *Reader) keepDefinition(key, text string, d record.Definition) {
	s.known.put(key, decoded{text, d}, max(len(text), minDefinitionBytes))
}

// Change has decide record what who does to a report and its placements, under its lock and those of more: no field differs after every write
// of a placement. decide may be asked again. record.ErrNotFound.
func (s *Reader) Change(
	ctx context.Context, k keys.DeploymentKeys, id int64, who record.Actor, more []string, decide func(to *Recorder, r *Report) error,
) error {
	return s.change(ctx, k, id, who, engine.WriteSubject{Locks: more}, decide)
}

// Redefine is Change of what a report is, whatever its placements are: it is decided without locks, see engine.WriteSubject.
func (s *Reader) Redefine(
	ctx context.Context, k keys.DeploymentKeys, id int64, who record.Actor, more []string, decide func(to *Recorder, r *Report) error,
) error {
	same := []string{FieldVersion, FieldPublicID} // a publicId that was shown before is adopted without another version
	return s.change(ctx, k, id, who, engine.WriteSubject{Locks: more, Same: same}, decide)
}

// change is Change of a report, besides of has.
func (s *Reader) change(
	ctx context.Context, k keys.DeploymentKeys, id int64, who record.Actor, of engine.WriteSubject,
	decide func(to *Recorder, r *Report) error,
) error {
	of.Locks, of.Hashes = append([]string{k.Locks().Report(id)}, of.Locks...), []string{k.Report(id), k.Placements(id)}
	return s.db.Change(ctx, of, func(tx *engine.Transaction, hashes []map[string]string) error {
		r, err := s.Report(k, id, hashes[0], hashes[1])
		if err != nil {
			return err
		}
		return decide(NewRecorder(s.db, tx, k, who), r)
	})
}

// Lock takes the lock of a report and loads it. record.ErrNotFound, and then no lock is held.
func (s *Reader) Lock(ctx context.Context, k keys.DeploymentKeys, id int64) (engine.Locks, *Report, error) {
	h, hashes, err := s.db.LockLoad(ctx, []string{k.Locks().Report(id)}, []string{k.Report(id), k.Placements(id)})
	if err != nil {
		return engine.Locks{}, nil, err
	}
	return s.locked(ctx, k, id, h, hashes[0], hashes[1])
}

// LockPart is Lock with those placements alone that have these slots; the revision of one that stands elsewhere by now is not read.
func (s *Reader) LockPart(ctx context.Context, k keys.DeploymentKeys, id int64, of []*Position) (engine.Locks, *Report, error) {
	var fields []any
	for _, at := range of {
		fields = append(fields, PlacementField+at.Slot, LastRunField+at.Slot, AddressField+at.AddressKey)
	}
	h, hash, placed, err := s.db.LockLoadFields(ctx, k.Locks().Report(id), k.Report(id), k.Placements(id), fields)
	if err != nil {
		return engine.Locks{}, nil, err
	}
	return s.locked(ctx, k, id, h, hash, placed)
}

// locked makes the report that was loaded under h.
func (s *Reader) locked(ctx context.Context, k keys.DeploymentKeys, id int64, h engine.Locks, hash, placed map[string]string) (engine.Locks, *Report, error) {
	r, err := s.Report(k, id, hash, placed)
	if err != nil {
		s.db.Unlock(ctx, h)
		return engine.Locks{}, nil, err
	}
	return h, r, nil
}
