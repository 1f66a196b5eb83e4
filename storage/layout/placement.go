package layout

import (
	"slices"
	"strings"

	"mooring/placements"
	"mooring/storage/changes"
	"mooring/storage/engine"
	"mooring/storage/keys"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/standing"
)

// dropEdits forgets the edits of a placement, if it has any, because nothing of them is left.
func dropEdits(tx *engine.Transaction, k keys.DeploymentKeys, report int64, p *Placed) {
	if p.Edits == nil {
		return
	}
	tx.Then("DEL", k.Blocks().Edits(report, p.ID))
	tx.Then("DEL", k.Blocks().ReturnedEdits(report, p.ID))
	tx.Publish(k, record.EventEditsGone, report, &p.Placement)
}

// The fields of a report's placements hash begin with what they hold; scripts spell them out.
const (
	PlacementField = "p:" // + slot -> record
	LastRunField   = "r:" // + slot -> LastRun JSON
	MergedField    = "m:" // + id of a placement that became one with another -> the slot of that
	AddressField   = "a:" // + address key -> slot, tab, revision of its record: see addressValue
)

// PlacedFields is how many fields a placement that no run has met takes: its record and its address.
const PlacedFields = 2

// AddressValue is what the address field of a placement holds. The revision differs in every record ever written, so a writer that finds
// what it expects here knows that what it decided on is still there, and reads no record.
func AddressValue(slot, revision string) string { return slot + "\t" + revision }

// recordPlacement stores what a connect decided and returns it: a connect claims the cells, a conflict that the last run met is over, and
// so is the run of an add-in on a placement that is moved or taken over.
func recordPlacement(db *engine.DB, tx *engine.Transaction, k keys.DeploymentKeys, r *Report, ch placements.Change) *Placed {
	next := Placed{Placement: ch.Placement, Claim: db.Now().UnixMicro()}
	if ch.Created {
		WritePlacement(tx, k, r.ID, nil, &next)
		ListPlacement(tx, k, r, &next)
		r.Placements = append(r.Placements, next)
		return &r.Placements[len(r.Placements)-1]
	}
	old := r.Placements[ch.Index]
	if old.AddressKey() != next.AddressKey() || old.ID != next.ID {
		queue.WakePlacement(&tx.Txn, k, r.ID, old.Position().Slot)
	}
	WritePlacement(tx, k, r.ID, &old, &next)
	if old.AddressKey() != next.AddressKey() || old.Behalf().UID != next.Behalf().UID || old.ID != next.ID {
		queue.StopClients(&tx.Txn, k, r.ID, old.ID)
	}
	was, now := old.Position().Slot, next.Position().Slot
	if run := old.LastRun; run != nil && run.State == placements.RunFailed && run.ErrorClass == placements.Conflict {
		tx.Then("HDEL", k.Placements(r.ID), LastRunField+was)
	} else if next.LastRun = run; run != nil && was != now {
		tx.Set(k.Placements(r.ID), LastRunField+now, run)
	}
	if run := next.LastRun; run != nil && run.Since != "" && !sameDocument(old.Placement, next.Placement) {
		tx.Then("unwait", k.Placements(r.ID), now)
	}
	ListPlacement(tx, k, r, &next)
	r.Placements[ch.Index] = next
	return &r.Placements[ch.Index]
}

func sameDocument(p, q placements.Placement) bool {
	return p.Host == q.Host && p.Home() == q.Home()
}

// RewritePlacement stores p, a change to r's placement index that does not claim the cells anew. What the report repeats of it stays
// true.
func RewritePlacement(tx *engine.Transaction, k keys.DeploymentKeys, r *Report, index int, p placements.Placement) {
	next := r.Placements[index]
	next.Placement = p
	was := r.Placements[index].Position().Slot
	WritePlacement(tx, k, r.ID, &r.Placements[index], &next)
	echoAs(tx, k, r.ID, was, &next)
	if now := next.Position().Slot; now != was && next.LastRun != nil {
		tx.Set(k.Placements(r.ID), LastRunField+now, next.LastRun)
	}
	ListPlacement(tx, k, r, &next)
	r.Placements[index] = next
}

// echoAs makes the report repeat p instead of what had that slot, if it repeats that.
func echoAs(t *engine.Transaction, k keys.DeploymentKeys, report int64, slot string, p *Placed) {
	t.Then("echo", k.Report(report), slot, record.EchoText(p.Position().Slot, record.EchoOf(&p.Placement)))
}

// Unecho makes the report repeat nothing, if it repeats what had that slot.
func Unecho(t *engine.Transaction, k keys.DeploymentKeys, report int64, slot string) {
	t.Then("echo", k.Report(report), slot, "")
}

// records calls each for every record of a report's placements hash.
func each(hash map[string]string, each func(slot, text, run string) error) error {
	for field, text := range hash {
		slot, found := strings.CutPrefix(field, PlacementField)
		if !found || text == "" {
			continue
		}
		if err := each(slot, text, hash[LastRunField+slot]); err != nil {
			return err
		}
	}
	return nil
}

// ReadPlacements makes the placements of a report's hash.
func ReadPlacements(hash map[string]string) ([]Placed, error) {
	list := make([]Placed, 0, len(hash)/2)
	err := each(hash, func(slot, text, run string) error {
		p, err := DecodeRecord(slot, text, run)
		_, p.Rev, _ = strings.Cut(hash[AddressField+p.Position().AddressKey], "\t")
		list = append(list, p)
		return err
	})
	SortPlaced(list)
	return list, err
}

// ViewPlacements returns what an answer shows of a report's placements hash.
func ViewPlacements(hash map[string]string) ([]record.PlacementView, error) {
	views := make([]record.PlacementView, 0, len(hash)/2)
	err := each(hash, func(slot, text, run string) error {
		p, err := record.ViewPlacement(slot, text, run)
		views = append(views, p)
		return err
	})
	slices.SortFunc(views, func(a, b record.PlacementView) int { return byPlacing(a.PlacedAt, a.Slot, b.PlacedAt, b.Slot) })
	return views, err
}

// RecordConnect adds what a connect has decided, makes r show it, and returns the placement.
func RecordConnect(db *engine.DB, tx *engine.Transaction, k keys.DeploymentKeys, r *Report, ch placements.Change, addressOnly bool, who record.Actor) *Placed {
	p := recordPlacement(db, tx, k, r, ch)
	tx.Publish(k, record.EventPlacementConnected, r.ID, &p.Placement)
	r.Repeat(p)
	if addressOnly {
		storeEcho(tx, k, r)
		return p
	}
	r.Stamp(p.RefreshedAt, who)
	storeLastRefresh(tx, k, r)
	return p
}

// DropPlacement takes a placement out of the report and of every index, and ends the runs on it.
func DropPlacement(tx *engine.Transaction, k keys.DeploymentKeys, report int64, p *Placed) {
	s := p.Position()
	queue.StopPlacement(&tx.Txn, k, report, p.ID)
	queue.WakePlacement(&tx.Txn, k, report, s.Slot)
	fields := fieldsOf(s.Slot)
	for _, id := range p.Merged {
		fields = append(fields, MergedField+id)
	}
	unindex(tx, k, report, s, fields...)
	standing.Unstand(&tx.Txn, k, report, s.Slot)
	tx.Then("DEL", k.Blocks().Rows(report, s.Slot))
	changes.Drop(&tx.Txn, k, report, s.Slot)
	dropEdits(tx, k, report, p)
}

// dropPlacements takes all placements of a report that goes out of every index, and ends its runs.
func dropPlacements(tx *engine.Transaction, k keys.DeploymentKeys, r *Report) {
	queue.StopReport(&tx.Txn, k, r.ID)
	members := map[string][]string{} // by the key of the index
	for i := range r.Placements {
		at := r.Placements[i].Position()
		document, cells := k.Document(at.Home), cellIndex(k.TenantKeys, at)
		members[document] = append(members[document], documentMembers(k, r.ID, at)...)
		members[cells] = append(members[cells], CellMember(k, r.ID, at))
		standing.Unstand(&tx.Txn, k, r.ID, at.Slot)
		tx.Then("DEL", k.Blocks().Rows(r.ID, at.Slot))
		changes.Drop(&tx.Txn, k, r.ID, at.Slot)
		dropEdits(tx, k, r.ID, &r.Placements[i])
	}
	for index, names := range members {
		for batch := range slices.Chunk(names, engine.MaxUnpacked) {
			tx.Delist(index, batch...)
		}
	}
	tx.Then("DEL", k.Placements(r.ID))
	tx.Then("DEL", k.Spots(r.ID))
}

// ListPlacement adds that p is listed anew as r's, after its record and the last run on it.
func ListPlacement(t *engine.Transaction, k keys.DeploymentKeys, r *Report, p *Placed) {
	standing.Stand(&t.Txn, k, r.ID, p.Position().Slot, &p.Placement, r.CurrentChecksum)
}
