package storage

import (
	"encoding/json"
	"fmt"
	"strings"

	"mooring/placements"
)

// Echo is the part of Marks that repeats the placement recorded last. It has a field of the report's hash to itself, so that a writer who
// places and one who refreshes need not know of each other. The field holds the placement's slot, a line feed and the JSON.
type Echo struct {
	ExternalWorkbookID string          `json:"externalWorkbookId,omitempty"`
	ResultLocation     string          `json:"resultLocation,omitempty"`
	EndResultCell      string          `json:"endResultCell,omitempty"`
	Host               placements.Host `json:"host,omitempty"`
}

func echoOf(p *placements.Placement) Echo {
	return Echo{p.WorkbookID, p.ResultLocation, p.EndResultCell, p.Host}
}

// echo makes r repeat p, which was just recorded.
func (r *Report) echo(p *Placed) {
	r.Echo, r.echoes = echoOf(&p.Placement), p.position().slot
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
func echoText(slot string, e Echo) string {
	return slot + "\n" + asObject(appendEcho(make([]byte, 0, 256), &e))
}

// splitEcho takes the field apart; it is empty where nothing is repeated.
func splitEcho(text string) (slot, object string) {
	slot, object, found := strings.Cut(text, "\n")
	if !found {
		return "", slot // of a report from before the slot was kept
	}
	return slot, object
}

func readEcho(report int64, text string) (slot string, e Echo, err error) {
	slot, object := splitEcho(text)
	if object == "" {
		return "", Echo{}, nil
	}
	if err := json.Unmarshal([]byte(object), &e); err != nil {
		return "", e, fmt.Errorf("report %d: echo: %w", report, err)
	}
	return slot, e, nil
}

// echoAs makes the report repeat p instead of what had that slot, if it repeats that.
func (t *txn) echoAs(k deploymentKeys, report int64, slot string, p *Placed) {
	t.Then("echo", k.report(report), slot, echoText(p.position().slot, echoOf(&p.Placement)))
}

// unecho makes the report repeat nothing, if it repeats what had that slot.
func (t *txn) unecho(k deploymentKeys, report int64, slot string) {
	t.Then("echo", k.report(report), slot, "")
}
