package layout

import (
	"slices"
	"strings"

	"mooring/placements"
	"mooring/storage/changes"
	"mooring/storage/engine"
	"mooring/storage/journal"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/standing"
)

// dropEdits forgets the edits of a placement, if it has any, because nothing of them is left.
func (to *Recorder) dropEdits(report int64, p *Placed) {
	if p.Edits == nil {
		return
	}
	to.Tx.Then("DEL", to.Keys.Blocks().Edits(report, p.ID))
	to.Tx.Then("DEL", to.Keys.Blocks().ReturnedEdits(report, p.ID))
	to.Publish(record.EventEditsGone, report, &p.Placement)
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

// RecordConnect records what a connect has decided of r, makes r show it, and returns the placement. With addressOnly nothing was refreshed.
func (to *Recorder) RecordConnect(r *Report, ch placements.Change, addressOnly bool) *Placed {
	to.noteConnect(r, ch)
	p := to.recordPlacement(r, ch)
	to.Publish(record.EventPlacementConnected, r.ID, &p.Placement)
	r.Repeat(p)
	if addressOnly {
		to.storeEcho(r)
		return p
	}
	r.Stamp(p.RefreshedAt, to.Who)
	to.storeLastRefresh(r)
	return p
}

// noteConnect notes what a connect does to r's placements. One that only stamps a data write is no part of the audit.
func (to *Recorder) noteConnect(r *Report, ch placements.Change) {
	if ch.Created {
		to.Note(journal.Connect, journal.OfPlacement(r.ID, &ch.Placement), 0)
		return
	}
	if changed := journal.PlacementPointers(&r.Placements[ch.Index].Placement, &ch.Placement); len(changed) > 0 {
		to.Note(journal.Update, journal.OfPlacement(r.ID, &ch.Placement), 0, changed...)
	}
}

// recordPlacement stores what a connect has decided and returns it: a connect claims the cells, a conflict that the last run met is over, and so is
// the run of an add-in on a placement that is moved or taken over.
func (to *Recorder) recordPlacement(r *Report, ch placements.Change) *Placed {
	next := Placed{Placement: ch.Placement, Claim: to.Now.UnixMicro()}
	if ch.Created {
		to.writePlacement(r.ID, nil, &next)
		to.ListPlacement(r, &next)
		r.Placements = append(r.Placements, next)
		return &r.Placements[len(r.Placements)-1]
	}
	old := r.Placements[ch.Index]
	if old.AddressKey() != next.AddressKey() || old.ID != next.ID {
		queue.WakePlacement(&to.Tx.Txn, to.Keys, r.ID, old.Position().Slot)
	}
	to.writePlacement(r.ID, &old, &next)
	if old.AddressKey() != next.AddressKey() || old.Behalf().UID != next.Behalf().UID || old.ID != next.ID {
		queue.StopClients(&to.Tx.Txn, to.Keys, r.ID, old.ID)
	}
	was, now := old.Position().Slot, next.Position().Slot
	if run := old.LastRun; run != nil && run.State == placements.RunFailed && run.ErrorClass == placements.Conflict {
		to.Tx.Then("HDEL", to.Keys.Placements(r.ID), LastRunField+was)
	} else if next.LastRun = run; run != nil && was != now {
		to.StoreLastRun(r.ID, now, run)
	}
	if run := next.LastRun; run != nil && run.Since != "" && !sameDocument(old.Placement, next.Placement) {
		to.Tx.Then("unwait", to.Keys.Placements(r.ID), now)
	}
	to.ListPlacement(r, &next)
	r.Placements[ch.Index] = next
	return &r.Placements[ch.Index]
}

// StoreLastRun stores the last run on the placement of that slot.
func (to *Recorder) StoreLastRun(report int64, slot string, run *placements.LastRun) {
	to.Tx.Set(to.Keys.Placements(report), LastRunField+slot, run)
}

func sameDocument(p, q placements.Placement) bool {
	return p.Host == q.Host && p.Home() == q.Home()
}

// Resize records a new endResultCell of a placement of r that is named again: its cells are not claimed anew.
func (to *Recorder) Resize(r *Report, ch placements.Change) {
	to.noteConnect(r, ch)
	to.Rewrite(r, ch.Index, ch.Placement)
	to.Publish(record.EventPlacementConnected, r.ID, &ch.Placement)
	if p := &r.Placements[ch.Index]; p.Position().Slot == r.RepeatedSlot {
		r.Repeat(p)
	}
}

// Rewrite stores p, a change to r's placement index that does not claim the cells anew. What the report repeats of it stays
// true.
func (to *Recorder) Rewrite(r *Report, index int, p placements.Placement) {
	next := r.Placements[index]
	next.Placement = p
	was := r.Placements[index].Position().Slot
	to.writePlacement(r.ID, &r.Placements[index], &next)
	to.echoAs(r.ID, was, &next)
	if now := next.Position().Slot; now != was && next.LastRun != nil {
		to.StoreLastRun(r.ID, now, next.LastRun)
	}
	to.ListPlacement(r, &next)
	r.Placements[index] = next
}

// echoAs makes the report repeat p instead of what had that slot, if it repeats that.
func (to *Recorder) echoAs(report int64, slot string, p *Placed) {
	to.Tx.Then("echo", to.Keys.Report(report), slot, record.EchoText(p.Position().Slot, record.EchoOf(&p.Placement)))
}

// each calls each for every record of a report's placements hash.
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

// RecordImport records a placement of r that another service kept, and the last run on it.
func (to *Recorder) RecordImport(r *Report, p *Placed) {
	to.writePlacement(r.ID, nil, p)
	if p.LastRun != nil {
		to.StoreLastRun(r.ID, p.Position().Slot, p.LastRun)
	}
	to.ListPlacement(r, p)
	to.Note(journal.Import, journal.OfPlacement(r.ID, &p.Placement), 0)
}

// RecordDisconnect takes a placement out of a report, which repeats nothing of it any more.
func (to *Recorder) RecordDisconnect(report int64, p *Placed) {
	to.dropPlacement(report, p)
	to.Tx.Then("echo", to.Keys.Report(report), p.Position().Slot, "")
	to.Publish(record.EventPlacementDisconnected, report, &p.Placement)
	to.Note(journal.Disconnect, journal.OfPlacement(report, &p.Placement), 0)
}

// dropPlacement takes a placement out of the report and of every index, and ends the runs on it.
func (to *Recorder) dropPlacement(report int64, p *Placed) {
	s := p.Position()
	queue.StopPlacement(&to.Tx.Txn, to.Keys, report, p.ID)
	queue.WakePlacement(&to.Tx.Txn, to.Keys, report, s.Slot)
	fields := fieldsOf(s.Slot)
	for _, id := range p.Merged {
		fields = append(fields, MergedField+id)
	}
	to.unindex(report, s, fields...)
	standing.Unstand(&to.Tx.Txn, to.Keys, report, s.Slot)
	to.Tx.Then("DEL", to.Keys.Blocks().Rows(report, s.Slot))
	changes.Drop(&to.Tx.Txn, to.Keys, report, s.Slot)
	to.dropEdits(report, p)
}

// dropPlacements takes all placements of a report that goes out of every index, and ends its runs.
func (to *Recorder) dropPlacements(r *Report) {
	queue.StopReport(&to.Tx.Txn, to.Keys, r.ID)
	members := map[string][]string{} // by the key of the index
	for i := range r.Placements {
		at := r.Placements[i].Position()
		document, cells := to.Keys.Document(at.Home), cellIndex(to.Keys.TenantKeys, at)
		members[document] = append(members[document], documentMembers(to.Keys, r.ID, at)...)
		members[cells] = append(members[cells], CellMember(to.Keys, r.ID, at))
		standing.Unstand(&to.Tx.Txn, to.Keys, r.ID, at.Slot)
		to.Tx.Then("DEL", to.Keys.Blocks().Rows(r.ID, at.Slot))
		changes.Drop(&to.Tx.Txn, to.Keys, r.ID, at.Slot)
		to.dropEdits(r.ID, &r.Placements[i])
	}
	for index, names := range members {
		for batch := range slices.Chunk(names, engine.MaxUnpacked) {
			to.Tx.Delist(index, batch...)
		}
	}
	to.Tx.Then("DEL", to.Keys.Placements(r.ID))
	to.Tx.Then("DEL", to.Keys.Spots(r.ID))
}

// ListPlacement adds that p is listed anew as r's, after its record and the last run on it.
func (to *Recorder) ListPlacement(r *Report, p *Placed) {
	standing.Stand(&to.Tx.Txn, to.Keys, r.ID, p.Position().Slot, &p.Placement, &r.Definition)
}
