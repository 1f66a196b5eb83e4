package storage

import (
	"crypto/rand"
	"slices"
	"strings"

	"mooring/placements"
	"mooring/storage/queue"
	"mooring/storage/record"
)

// The fields of a report's placements hash begin with what they hold; scripts spell them out.
const (
	placementField = "p:" // + slot -> record
	lastRunField   = "r:" // + slot -> LastRun JSON
	mergedField    = "m:" // + id of a placement that became one with another -> the slot of that
	addressField   = "a:" // + address key -> slot, tab, revision of its record: see addressValue
)

// placedFields is how many fields a placement that no run has met takes: its record and its address.
const placedFields = 2

// addressValue is what the address field of a placement holds. The revision differs in every record ever written, so a writer that finds
// what it expects here knows that what it decided on is still there, and reads no record.
func addressValue(slot, revision string) string { return slot + "\t" + revision }

// recordPlacement stores what a connect decided and returns it: a connect claims the cells, a conflict that the last run met is over, and
// so is the run of an add-in on a placement that is moved or taken over.
func (s *Store) recordPlacement(tx *txn, k deploymentKeys, r *Report, ch placements.Change) *Placed {
	next := Placed{Placement: ch.Placement, Claim: s.now().UnixMicro()}
	if ch.Created {
		writePlacement(tx, k, r.ID, nil, &next)
		tx.stand(k, r, &next)
		r.Placements = append(r.Placements, next)
		return &r.Placements[len(r.Placements)-1]
	}
	old := r.Placements[ch.Index]
	if old.AddressKey() != next.AddressKey() || old.ID != next.ID {
		queue.WakePlacement(&tx.Txn, k.DeploymentKeys, r.ID, old.position().slot)
	}
	writePlacement(tx, k, r.ID, &old, &next)
	if old.AddressKey() != next.AddressKey() || old.Behalf().UID != next.Behalf().UID || old.ID != next.ID {
		queue.StopClients(&tx.Txn, k.DeploymentKeys, r.ID, old.ID)
	}
	was, now := old.position().slot, next.position().slot
	if run := old.LastRun; run != nil && run.State == placements.RunFailed && run.ErrorClass == placements.Conflict {
		tx.Then("HDEL", k.Placements(r.ID), lastRunField+was)
	} else if next.LastRun = run; run != nil && was != now {
		tx.set(k.Placements(r.ID), lastRunField+now, run)
	}
	if run := next.LastRun; run != nil && run.Since != "" && !sameDocument(old.Placement, next.Placement) {
		tx.Then("unwait", k.Placements(r.ID), now)
	}
	tx.stand(k, r, &next)
	r.Placements[ch.Index] = next
	return &r.Placements[ch.Index]
}

func sameDocument(p, q placements.Placement) bool {
	return p.Host == q.Host && p.Home() == q.Home()
}

// rewritePlacement stores p, a change to r's placement index that does not claim the cells anew. What the report repeats of it stays
// true.
func rewritePlacement(tx *txn, k deploymentKeys, r *Report, index int, p placements.Placement) {
	next := r.Placements[index]
	next.Placement = p
	was := r.Placements[index].position().slot
	writePlacement(tx, k, r.ID, &r.Placements[index], &next)
	tx.echoAs(k, r.ID, was, &next)
	if now := next.position().slot; now != was && next.LastRun != nil {
		tx.set(k.Placements(r.ID), lastRunField+now, next.LastRun)
	}
	tx.stand(k, r, &next)
	r.Placements[index] = next
}

// needsID reports whether a run on t needs an id for p.
func needsID(t record.RunTarget, p Placed) bool { return p.ID == "" && t.Has(p.Placement) }

// echo makes r repeat p, which was just recorded.
func (r *Report) echo(p *Placed) {
	r.Echo, r.echoes = record.EchoOf(&p.Placement), p.position().slot
}

// echoed is the placement that r repeats.
func (r *Report) echoed() (p Placed, ok bool) {
	for i := range r.Placements {
		if r.Placements[i].position().slot == r.echoes {
			return r.Placements[i], true
		}
	}
	return Placed{}, false
}

// echoAs makes the report repeat p instead of what had that slot, if it repeats that.
func (t *txn) echoAs(k deploymentKeys, report int64, slot string, p *Placed) {
	t.Then("echo", k.Report(report), slot, record.EchoText(p.position().slot, record.EchoOf(&p.Placement)))
}

// unecho makes the report repeat nothing, if it repeats what had that slot.
func (t *txn) unecho(k deploymentKeys, report int64, slot string) {
	t.Then("echo", k.Report(report), slot, "")
}

// encodeRecord returns the stored form of p, whose standing is known, under a new revision.
func encodeRecord(p *Placed) (text string) {
	p.Rev = rand.Text()[:12]
	text, p.text = record.EncodePlacement(&p.Placement, p.Claim, p.at.key)
	return text
}

// decodeRecord reads the stored form of a placement, and the last run on it.
func decodeRecord(slot, text, run string) (p Placed, err error) {
	if p.Placement, p.Claim, p.text, err = record.DecodePlacement(slot, text); err != nil {
		return p, err
	}
	p.LastRun, err = record.DecodeLastRun(slot, run)
	return p, err
}

// records calls each for every record of a report's placements hash.
func records(hash map[string]string, each func(slot, text, run string) error) error {
	for field, text := range hash {
		slot, found := strings.CutPrefix(field, placementField)
		if !found || text == "" {
			continue
		}
		if err := each(slot, text, hash[lastRunField+slot]); err != nil {
			return err
		}
	}
	return nil
}

// readPlacements makes the placements of a report's hash.
func readPlacements(hash map[string]string) ([]Placed, error) {
	list := make([]Placed, 0, len(hash)/2)
	err := records(hash, func(slot, text, run string) error {
		p, err := decodeRecord(slot, text, run)
		_, p.Rev, _ = strings.Cut(hash[addressField+p.position().key], "\t")
		list = append(list, p)
		return err
	})
	sortPlaced(list)
	return list, err
}

func sortPlaced(list []Placed) {
	slices.SortFunc(list, func(a, b Placed) int {
		return byPlacing(a.PlacedAt, a.position().slot, b.PlacedAt, b.position().slot)
	})
}

// byPlacing orders placements by placedAt, then slot.
func byPlacing(at, slot, otherAt, otherSlot string) int {
	if c := strings.Compare(at, otherAt); c != 0 {
		return c
	}
	return strings.Compare(slot, otherSlot)
}

func (p *Placed) view() record.PlacementView {
	return record.PlacementView{
		Slot: p.position().slot, JSON: p.text,
		PlacedAt: p.PlacedAt, RefreshedAt: p.RefreshedAt, QueryChecksum: p.QueryChecksum, LastRun: p.LastRun,
	}
}

// viewPlacements returns what an answer shows of a report's placements hash.
func viewPlacements(hash map[string]string) ([]record.PlacementView, error) {
	views := make([]record.PlacementView, 0, len(hash)/2)
	err := records(hash, func(slot, text, run string) error {
		p, err := record.ViewPlacement(slot, text, run)
		views = append(views, p)
		return err
	})
	slices.SortFunc(views, func(a, b record.PlacementView) int { return byPlacing(a.PlacedAt, a.Slot, b.PlacedAt, b.Slot) })
	return views, err
}

func (s *Store) placeStamp(r *Report, who record.Actor, idHolders int64) (placements.Stamp, error) {
	host, err := r.Definition.Host()
	return placements.Stamp{
		Now: s.now(), By: who.RunAs(), MayEdit: who.Level(&r.Definition) >= record.MayEdit,
		QueryChecksum: r.CurrentChecksum, DefaultHost: host,
		NewID: rand.Text(), IDTaken: idHolders > 0,
	}, err
}
