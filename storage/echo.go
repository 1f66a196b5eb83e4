package storage

import (
	"encoding/json"
	"fmt"
	"strings"

	"mooring/storage/record"
)

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

// echoText is what the field holds for a placement of that slot.
func echoText(slot string, e record.Echo) string {
	return slot + "\n" + e.EchoJSON()
}

// splitEcho takes the field apart; it is empty where nothing is repeated.
func splitEcho(text string) (slot, object string) {
	slot, object, found := strings.Cut(text, "\n")
	if !found {
		return "", slot // of a report from before the slot was kept
	}
	return slot, object
}

func readEcho(report int64, text string) (slot string, e record.Echo, err error) {
	slot, object := splitEcho(text)
	if object == "" {
		return "", record.Echo{}, nil
	}
	if err := json.Unmarshal([]byte(object), &e); err != nil {
		return "", e, fmt.Errorf("report %d: echo: %w", report, err)
	}
	return slot, e, nil
}

// echoAs makes the report repeat p instead of what had that slot, if it repeats that.
func (t *txn) echoAs(k deploymentKeys, report int64, slot string, p *Placed) {
	t.Then("echo", k.report(report), slot, echoText(p.position().slot, record.EchoOf(&p.Placement)))
}

// unecho makes the report repeat nothing, if it repeats what had that slot.
func (t *txn) unecho(k deploymentKeys, report int64, slot string) {
	t.Then("echo", k.report(report), slot, "")
}
