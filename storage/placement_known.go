package storage

import (
	"sync"

	"mooring/storage/record"
)

// The bounds of what a Store remembers of reports and placements.
const (
	maxKnownReports    = 4096
	maxKnownPlacements = 16384
)

// known is what this process last saw of reports and placements. A write may decide on it, since the script that applies the write checks
// that it is still so; what is wrong here costs a round trip and no more. Everything in it is read-only.
type known struct {
	mu         sync.RWMutex
	reports    map[reportRef]*Report            // without placements and marks
	placements map[reportRef]map[string]*Placed // slot or address key -> placement without its checksum
	held       int                              // entries in placements
}

// reportRef names a report within the storage.
type reportRef struct {
	prefix string // of the deployment's keys
	id     int64
}

func (k deploymentKeys) ref(report int64) reportRef { return reportRef{k.prefix, report} }

// recall returns a report as last seen, with those of its placements that n names. ok is false when it was never seen, or when one that n
// names was not, unless absent says that what was never seen may be taken for absent.
func (m *known) recall(k deploymentKeys, id int64, n near, absent bool) (r *Report, ok bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	key := k.ref(id)
	seen := m.reports[key]
	if seen == nil || n.spot != "" {
		return nil, false
	}
	r = new(Report)
	*r = *seen
	of := m.placements[key]
	byID, hasID := of[n.id]
	byKey, hasKey := of[n.key]
	if !absent && (n.id != "" && !hasID || n.key != "" && !hasKey) {
		return nil, false
	}
	if n.id != "" && hasID {
		r.Placements = append(r.Placements, *byID)
	}
	if n.key != "" && hasKey && (n.id == "" || !hasID || byID.Rev != byKey.Rev) {
		r.Placements = append(r.Placements, *byKey)
	}
	return r, true
}

// remember keeps a report as it was just read, and the placements that r has.
func (m *known) remember(k deploymentKeys, r *Report) { m.replace(k, r, nil) }

// replace keeps a report as it was just written, and the placements that r has now instead of those that stood there before.
func (m *known) replace(k deploymentKeys, r *Report, before []*stand) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.reports == nil {
		m.reports, m.placements = map[reportRef]*Report{}, map[reportRef]map[string]*Placed{}
	}
	key := k.ref(r.ID)
	m.makeRoom(key)
	if seen := m.reports[key]; seen == nil || seen.DefinitionText != r.DefinitionText || seen.StoredPublicID != r.StoredPublicID {
		bare := new(Report)
		*bare = *r
		bare.Effect = record.Unchanged
		bare.Placements, bare.OnlyShown, bare.Marks, bare.echoes, bare.heldID = nil, nil, Marks{}, "", 0
		m.reports[key] = bare
	}
	of := m.placements[key]
	if of == nil {
		of = map[string]*Placed{}
		m.placements[key] = of
	}
	m.held -= len(of)
	for _, gone := range before {
		delete(of, gone.slot)
		delete(of, gone.key)
	}
	for i := range r.Placements {
		p := r.Placements[i]
		p.ResultChecksum = nil
		now := p.standing()
		of[now.slot], of[now.key] = &p, &p
	}
	m.held += len(of)
}

// makeRoom keeps within the bounds: arbitrary reports go, and with them their placements.
func (m *known) makeRoom(staying reportRef) {
	for key := range m.reports {
		if len(m.reports) < maxKnownReports && m.held < maxKnownPlacements {
			return
		}
		if key != staying || m.held >= maxKnownPlacements {
			m.held -= len(m.placements[key])
			delete(m.reports, key)
			delete(m.placements, key)
		}
	}
}
