package main

import (
	"fmt"
	"testing"
	"time"
)

// choose chooses an option of a select by its value.
func (c *console) choose(id, value string) {
	c.t.Helper()
	c.until(fmt.Sprintf("!!document.getElementById(%q)", id))
	c.eval(fmt.Sprintf(`((e) => { e.value = %q; e.dispatchEvent(new Event("change")); })(document.getElementById(%q))`, value, id))
}

// shiftOptions are the options of shifts that a placement or a schedule has.
type shiftOptions struct {
	ID        any
	ShiftRows *bool
	FillRight string
}

func (o shiftOptions) String() string {
	said := "nothing"
	if o.ShiftRows != nil {
		said = fmt.Sprint(*o.ShiftRows)
	}
	return said + " " + o.FillRight
}

// stores waits until the server has those options.
func (c *console) stores(read func() shiftOptions, want string) {
	c.t.Helper()
	var got string
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(poll) {
		if got = read().String(); got == want {
			c.settled()
			return
		}
	}
	c.t.Fatalf("stored: %q, want %q", got, want)
}

// A person says at a block, and at a schedule, whether rows below move, and takes that back.
func TestConsoleOptionsOfShifts(t *testing.T) {
	t.Parallel()
	s := smallSite(t)
	at, id := s.filled.Placements[0], s.filled.Schedules[0].ID
	get := func(path string, into any) {
		if err := s.api.do(t.Context(), "GET", "/api/v1/deployments/1/"+path, nil, into); err != nil {
			t.Fatal(err)
		}
	}
	placement := func() (found shiftOptions) {
		var report struct{ ExternalWorkbookPlacements []shiftOptions }
		get(fmt.Sprintf("reports/%d", at.ReportID), &report)
		for _, p := range report.ExternalWorkbookPlacements {
			if p.ID == at.ID {
				found = p
			}
		}
		return found
	}
	schedule := func() (found shiftOptions) {
		get(fmt.Sprintf("refresh-schedules/%d", id), &found)
		return found
	}
	c := s.open(s.token, fmt.Sprintf("placements/%d/%s", at.ReportID, at.ID))
	c.shows("Rows below the block stay where they are")
	c.click("Change")
	c.choose("shift-rows", "yes")
	c.stores(placement, "true ")
	c.shows("Rows below the block move down and up with it.")
	c.fill("Formulas filled down", "zy:")
	name := fmt.Sprintf("Named at %d", time.Now().UnixNano())
	if err := s.api.do(t.Context(), "PUT", fmt.Sprintf("/api/v1/deployments/1/reports/%d", at.ReportID), map[string]string{"name": name}, nil); err != nil {
		t.Fatal(err)
	}
	c.shows(name) // the screen was read again, and what is being typed is still there
	c.press("zz\r")
	c.stores(placement, "true ZY:ZZ")
	c.looksRight("placement")
	c.choose("shift-rows", "no")
	c.stores(placement, "false ZY:ZZ")
	c.choose("shift-rows", "")
	c.stores(placement, "nothing ZY:ZZ")

	c.goTo(fmt.Sprintf("schedules/%d", id))
	c.choose("shift-rows", "no")
	c.stores(schedule, "false ")
	c.looksRight("schedule")
	c.choose("shift-rows", "")
	c.stores(schedule, "nothing ")
}
