//go:build unix

package attack

import (
	"fmt"
	"os"
	"syscall"
	"time"

	"mooring/storage/record/recordtest"
)

// swapped exchanges a workbook for a FIFO and back as fast as it goes while runs open it. Each run must end, and so must the server.
func (a *attacker) swapped() {
	r := a.newReport(1, stockQuery)
	const document, other = "swapped.xlsx", "beside.xlsx"
	a.workbook(document, nil)
	a.workbook(other, nil)
	placement, beside := r.place(recordtest.Owner+" at work", document, "B2"), r.place(recordtest.Owner+" at work", other, "B2")
	r.run(recordtest.Owner, placement, "")
	fifo := a.sheet("fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		a.t.Fatal(err)
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Rename(a.sheet(document), a.sheet("kept"))
			_ = os.Rename(fifo, a.sheet(document))
			_ = os.Rename(a.sheet(document), fifo)
			_ = os.Rename(a.sheet("kept"), a.sheet(document))
		}
	}()
	for i := range 60 {
		a.try(7, "files exchanged for FIFOs", a.holds(r, placement, beside, i))
		if a.heldUp {
			break
		}
	}
	close(stop)
	<-stopped
	fault := ""
	if !a.server.terminate(40 * time.Second) {
		fault = "the server does not end within 40 s"
	}
	a.try(7, "SIGTERM after that", fault)
}

// holds asks for a run and says whether it is held up: stopping it must end it.
func (a *attacker) holds(r report, placement, beside string, i int) string {
	a.t.Helper()
	started := r.send(recordtest.Owner, "POST", r.path+"/refreshes", fmt.Sprintf(`{"placementId":%q}`, placement))
	if !started.ok() {
		return "" // the one before waits for its file
	}
	id := started.get("runId")
	for deadline := time.Now().Add(8 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if got := r.send(recordtest.Owner, "GET", r.path+"/refreshes/"+id, ""); got.get("state") != "RUNNING" {
			r.send(recordtest.Owner, "DELETE", r.path+"/refreshes/"+id, "")
			return ""
		}
	}
	r.send(recordtest.Owner, "DELETE", r.path+"/refreshes/"+id, "")
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if got := r.send(recordtest.Owner, "GET", r.path+"/refreshes/"+id, ""); got.get("endedAt") != "" {
			return ""
		}
	}
	a.heldUp = true
	return fmt.Sprintf("run %d is held for ever; stopping it does not help", i)
}

// kept has a reader hold a shared workbook with one run by an add-in after another, none of which plans, while the owner's run waits.
func (a *attacker) kept() {
	if !a.whole {
		return
	}
	r := a.newReport(1, stockQuery)
	const document = "shared.xlsx"
	a.workbook(document, nil)
	owners, readers := r.place(recordtest.Owner+" at work", document, "B2"), r.place(recordtest.Reader, document, "H2")
	begin := func() string {
		return r.send(recordtest.Reader, "POST", r.path+"/refreshes", fmt.Sprintf(`{"placementId":%q,"executor":"client"}`, readers)).get("runId")
	}
	held := begin()
	waits := r.must(recordtest.Owner, "POST", r.path+"/refreshes", fmt.Sprintf(`{"placementId":%q}`, owners)).get("runId")
	fault := "the owner's run still waits after 5 minutes"
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); time.Sleep(2 * time.Second) {
		if got := r.send(recordtest.Owner, "GET", r.path+"/refreshes/"+waits, ""); got.get("endedAt") != "" {
			fault = ""
			break
		}
		lease := fmt.Sprintf("/api/v1/deployments/%d/refreshes/%s/lease", r.deployment, held)
		if !r.send(recordtest.Reader, "PUT", lease, `{"fence":1}`).ok() {
			if next := begin(); next != "" {
				held = next
			}
		}
	}
	a.try(8, "a shared workbook that a reader holds by an add-in", fault)
}
