package host

import (
	"sync"

	"mooring/checksum"
	"mooring/placements"
)

// googleFacts are what a Write must know of the document beside its Patch.
type googleFacts struct {
	markerID string // the API's id of the marker; empty when there is none
	anchor   placements.Anchor
	extent   checksum.Extent // the marker's rectangle, from anchor
	sheet    googleSheet
}

// covers tells whether the marker covers just that rectangle.
func (f googleFacts) covers(a placements.Anchor, e checksum.Extent) bool {
	return f.markerID != "" && f.anchor == a && f.extent == atLeastOne(e)
}

// googleMemory keeps the facts that a Read learnt for the Write that follows it, which so needs no request to learn them
// again. Nothing depends on it: a Write without them asks.
type googleMemory struct {
	mu    sync.Mutex
	facts map[googleBlock]googleFacts
}

type googleBlock struct{ document, placementID string }

// maxGoogleFacts bounds what reads that no write follows may leave behind.
const maxGoogleFacts = 10_000

func (m *googleMemory) put(b Block, f googleFacts) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.facts == nil || len(m.facts) >= maxGoogleFacts {
		m.facts = map[googleBlock]googleFacts{}
	}
	m.facts[googleBlock{b.Document, b.PlacementID}] = f
}

// take returns the facts once: they are out of date after a write.
func (m *googleMemory) take(b Block) (googleFacts, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := googleBlock{b.Document, b.PlacementID}
	f, ok := m.facts[key]
	delete(m.facts, key)
	return f, ok
}

// remember keeps what a read found.
func (r *googleReading) remember(f googleFound) { r.memory.put(r.block, f.facts()) }

func (f googleFound) facts() googleFacts {
	facts := googleFacts{sheet: f.sheet, anchor: f.anchor}
	if f.marker != nil {
		facts.markerID, facts.extent = f.marker.ID, f.marker.Range.extent()
	}
	return facts
}
