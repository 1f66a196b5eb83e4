package layout

import (
	"mooring/storage/keys"
	"mooring/storage/record"
)

// reportRef names a report within the storage.
type reportRef struct {
	prefix string // of the deployment's keys
	id     int64
}

func refOf(k keys.DeploymentKeys, report int64) reportRef { return reportRef{k.Prefix, report} }

// placedRef names a placement of a report: by its slot, and by the key of its address.
type placedRef struct {
	report reportRef
	name   string
}

// Candidates names those placements of a report that a connect, a disconnect or a refresh may concern, so that its cost does not grow
// with the report: the one of that id, the one at that address, all at that sheet and anchor, and, where none has the address, all at that
// anchor of the sheet with that id. With a document, placements of other reports that have the id there are counted. Empty texts name none.
type Candidates struct{ ID, Key, Spot, Sheet, Document string }

// The bounds of what a Store remembers of reports and placements; a placement counts once by its slot and once by its address.
const (
	maxHeads  = 4096
	maxPlaced = 32768
)

// Trust is how far a write may be decided on what this process remembers of placements.
type Trust int

const (
	TrustNothing Trust = iota // it needs checksums, which are not remembered
	TrustSeen                 // all candidates must have been seen
	TrustUnseen               // a candidate that was never seen may be taken for absent
)

// Memory is what this process last saw of reports and placements.
type Memory struct {
	reader *Reader
	heads  *cache[reportRef, *record.ReportHead]
	placed *cache[placedRef, *Placed] // without their checksums
	named  *cache[string, reportRef]  // the reports of publicIds, by the deployment's prefix and publicId
}

// NewMemory returns an empty memory.
func NewMemory(reader *Reader) *Memory {
	return &Memory{
		reader, newCache[reportRef, *record.ReportHead](maxHeads), newCache[placedRef, *Placed](maxPlaced), newCache[string, reportRef](maxHeads),
	}
}

// Forget forgets a report.
func (s *Memory) Forget(k keys.DeploymentKeys, report int64) { s.heads.remove(refOf(k, report)) }

// KeepNamed keeps a report as it was just written under a publicId.
func (s *Memory) KeepNamed(k keys.DeploymentKeys, publicID string, r *Report) {
	if ref, ok := s.named.get(k.Prefix + publicID); !ok || ref.id != r.ID {
		s.named.put(k.Prefix+publicID, refOf(k, r.ID), 1)
	}
	s.Keep(k, r)
}

// HeadNamed returns the report that was kept under a publicId.
func (s *Memory) HeadNamed(k keys.DeploymentKeys, publicID string) (head *record.ReportHead, seen bool) {
	ref, _ := s.named.get(k.Prefix + publicID)
	return s.heads.get(ref)
}

// Remember keeps a report as it was just read or written, and the placements that r has now instead of those that stood at before.
func (s *Memory) Remember(k keys.DeploymentKeys, r *Report, before []*Position) {
	ref := refOf(k, r.ID)
	if seen, ok := s.heads.get(ref); !ok || seen.DefinitionText != r.DefinitionText || seen.StoredPublicID != r.StoredPublicID {
		s.rememberHead(k, r.ReportHead)
	}
	for _, gone := range before {
		s.placed.remove(placedRef{ref, gone.Slot}, placedRef{ref, gone.AddressKey})
	}
	for i := range r.Placements {
		p := r.Placements[i].withoutChecksums()
		at := p.Position()
		s.placed.put(placedRef{ref, at.Slot}, &p, 1)
		s.placed.put(placedRef{ref, at.AddressKey}, &p, 1)
	}
}

// rememberHead keeps a report as it was just read or written.
func (s *Memory) rememberHead(k keys.DeploymentKeys, head record.ReportHead) {
	head.Effect = 0
	s.heads.put(refOf(k, head.ID), &head, 1)
}

// Recall returns a report as this process last saw it, with those of its placements that n names; nil when it did not see all that it has
// to.
func (s *Memory) Recall(k keys.DeploymentKeys, id int64, n Candidates, how Trust) *Report {
	ref := refOf(k, id)
	head, ok := s.heads.get(ref)
	if !ok || how == TrustNothing || n.Spot != "" {
		return nil
	}
	r := &Report{ReportHead: *head}
	byID, hasID := s.placed.get(placedRef{ref, n.ID})
	byKey, hasKey := s.placed.get(placedRef{ref, n.Key})
	if how == TrustSeen && (n.ID != "" && !hasID || n.Key != "" && !hasKey) {
		return nil
	}
	if n.ID != "" && hasID {
		r.Placements = append(r.Placements, *byID)
	}
	if n.Key != "" && hasKey && (n.ID == "" || !hasID || byID.Rev != byKey.Rev) {
		r.Placements = append(r.Placements, *byKey)
	}
	return r
}

// Keep remembers r as it was just written: who writes or reads next most likely finds it so.
func (s *Memory) Keep(k keys.DeploymentKeys, r *Report) {
	s.rememberHead(k, r.ReportHead)
	s.reader.keepDefinition(k.Report(r.ID), r.DefinitionText, r.Definition)
}
