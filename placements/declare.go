package placements

import "reflect"

// Declare records what the spreadsheet keys of a report's own body say: where the report is to stand (decisions.md §4). They claim that
// cells were written only with a resultChecksum; keys that repeat the address of a recorded placement otherwise change nothing but its
// endResultCell. The first to apply stays the one on whose behalf the placement is queried. changed is false when the record stays as
// it is, or when only the time of the same write would be new. Errors are those of Connect.
func Declare(existing []Placement, c Connection, s Stamp) (ch Change, changed bool, err error) {
	c.AddressOnly = c.ResultChecksum == nil
	ch, err = Connect(existing, c, s)
	if err != nil || ch.Created {
		return ch, err == nil, err
	}
	old := existing[ch.Index]
	if c.AddressOnly {
		end := ch.Placement.EndResultCell
		if ch.Placement = old; c.EndResultCell != "" {
			ch.Placement.EndResultCell = end
		}
		return ch, ch.Placement.EndResultCell != old.EndResultCell, nil
	}
	if old.RunAs != nil {
		ch.Placement.RunAs = old.RunAs
	}
	again := ch.Placement
	again.RefreshedAt, again.RefreshedByUserID = old.RefreshedAt, old.RefreshedByUserID
	return ch, !reflect.DeepEqual(again, old), nil
}
