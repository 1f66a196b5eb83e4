package storage

import (
	"slices"

	"mooring/storage/record"
)

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
