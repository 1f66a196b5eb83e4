package storage

import (
	"mooring/placements"
	"mooring/storage/record"
)

// publish adds an event about a placement of a report.
func (t *txn) publish(k deploymentKeys, kind record.EventType, report int64, p *placements.Placement) {
	t.Then("publish", k.Events(), string(kind), report, record.Object(appendPlace(make([]byte, 0, 256), p)))
}

// eventCells is how many cells an event names.
const eventCells = 10

// keptEvent is the data of a placement.edits_kept event beside that of every event about a placement. It never holds values.
type keptEvent struct {
	Rows     int      `json:"rows"`     // of the block, that a person edited
	Cells    int      `json:"cells"`    // in them
	NewCells []string `json:"newCells"` // the first few that were not there before the run, such as Data!C7
}

// publishKept adds the event that edits of p were kept, some of them for the first time.
func (t *txn) publishKept(k deploymentKeys, report int64, p *placements.Placement, added []record.Edit) {
	kept := keptEvent{Rows: p.Edits.Rows, Cells: p.Edits.Cells, NewCells: []string{}}
	for _, e := range added[:min(len(added), eventCells)] {
		kept.NewCells = append(kept.NewCells, e.At(*p).String())
	}
	counts, _ := record.Encode(kept) // numbers and texts always encode
	data := append(appendPlace(make([]byte, 0, 512), p), ',')
	t.Then("publish", k.Events(), string(record.EventEditsKept), report, record.Object(append(data, counts[1:len(counts)-1]...)))
}

// appendPlace appends the members that the data of every event about a placement has.
func appendPlace(data []byte, p *placements.Placement) []byte {
	data = record.AppendMember(data, `,"placementId":`, p.ID)
	data = record.AppendText(append(data, `,"externalWorkbookId":`...), p.WorkbookID)
	return record.AppendText(append(data, `,"resultLocation":`...), p.ResultLocation)
}
