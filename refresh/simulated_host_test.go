package refresh

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"mooring/placements"
	"mooring/refresh/fault"
	"mooring/refresh/host"
	"mooring/refresh/host/xlsx"
)

// noAccess stands for an unavailability that no run waits for: the service is refused access to the document.
const noAccess placements.Reason = "access"

// downtime is a time in which a document or a source is unavailable.
type downtime struct {
	from, to time.Time
	reason   placements.Reason // or noAccess
}

func (o downtime) at(t time.Time) bool { return !t.Before(o.from) && t.Before(o.to) }

// intermittentHost is a host whose documents are unavailable at times.
type intermittentHost struct {
	*shelf
	faults     map[placements.Reason]placements.Fault
	downtimes  map[string][]downtime
	absent     map[string]bool // at no time there
	opens      map[string][]time.Time
	beforeOpen func() // nil: nothing happens
}

// Open fails while the document is unavailable.
func (h *intermittentHost) Open(ctx context.Context, document string) (host.Session, error) {
	h.mu.Lock()
	if h.beforeOpen != nil {
		h.beforeOpen()
	}
	now := time.Now()
	h.opens[document] = append(h.opens[document], now)
	current, unavailable := h.current(document, now)
	h.mu.Unlock()
	if unavailable {
		fault := h.faults[current.reason]
		return nil, &fault
	}
	return h.shelf.Open(ctx, document)
}

// current returns the downtime of the document at a time. One in which an add-in holds it is none: its host answers. The mutex must be held.
func (h *intermittentHost) current(document string, at time.Time) (downtime, bool) {
	if h.absent[document] {
		return downtime{reason: placements.ReasonMissing}, true
	}
	for _, o := range h.downtimes[document] {
		if o.at(at) && o.reason != placements.ReasonHeld {
			return o, true
		}
	}
	return downtime{}, false
}

// opened returns how often the document was opened, or was tried to be, since then.
func (h *intermittentHost) opened(document string, since time.Time) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for _, at := range h.opens[document] {
		if !at.Before(since) {
			n++
		}
	}
	return n
}

// hostFaults returns the fault for each reason why a document is unavailable; those of files are what the host of files returns for real ones.
func hostFaults(t *testing.T) map[placements.Reason]placements.Fault {
	t.Helper()
	dir := t.TempDir()
	files, err := (&xlsx.Config{Dir: dir}).Open(t.Context(), nil)
	must(t, err)
	f := excelize.NewFile()
	must(t, f.SaveAs(filepath.Join(dir, "book.xlsx")))
	must(t, f.Close())
	must(t, os.WriteFile(filepath.Join(dir, "~$book.xlsx"), nil, 0o600))
	found := map[placements.Reason]placements.Fault{
		placements.ReasonQuota: {Class: placements.Quota, Message: "The account has no requests left.", RetryAfter: 40 * time.Second},
		noAccess:               {Class: placements.Auth, Message: "The service may not open the spreadsheet: share it with the service."},
	}
	for reason, name := range map[placements.Reason]string{placements.ReasonLocked: "book.xlsx", placements.ReasonMissing: "none.xlsx"} {
		s, err := files.Open(t.Context(), name)
		if err == nil {
			_, err = s.Read(t.Context(), []host.Wanted{{Block: host.Block{Document: name, PlacementID: "p", Sheet: "Sheet1"}}})
			must(t, s.Close())
		}
		fault := fault.Of(err)
		if err == nil || fault.Message == "" {
			t.Fatalf("a file that is %s: %v", reason, err)
		}
		found[reason] = *fault
	}
	return found
}
