//go:build unix

package attack

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"mooring/storage/record/recordtest"
)

// swapFiles exchanges a workbook for a FIFO and back as fast as it goes while runs open it. Each run must end, and so must the server.
func (a *attacker) swapFiles() {
	r := a.newReport(1, stockQuery)
	const document = "swapped.xlsx"
	a.workbook(document, nil)
	placement := r.place(recordtest.Owner+" at work", document, "B2")
	r.run(recordtest.Owner, placement, "")
	fifo, file := filepath.Join(a.dir, "fifo"), filepath.Join(a.dir, "file")
	if err := errors.Join(syscall.Mkfifo(fifo, 0o600), os.Link(a.sheet(document), file)); err != nil {
		a.t.Fatal(err)
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		next := filepath.Join(a.dir, "next")
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				_ = os.Link([]string{fifo, file}[i%2], next)
				_ = os.Rename(next, a.sheet(document)) // the name is always there
			}
		}
	}()
	runs := 20
	if a.whole {
		runs = 200
	}
	for i := range runs {
		a.try(7, "files exchanged for FIFOs", a.holdsUp(r, placement, i))
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

// holdsUp asks for a run and says whether it is held up: stopping it must end it.
func (a *attacker) holdsUp(r report, placement string, i int) string {
	a.t.Helper()
	started := r.send(recordtest.Owner, "POST", r.path+"/refreshes", fmt.Sprintf(`{"placementId":%q}`, placement))
	if !started.ok() {
		return "" // the one before waits for its file
	}
	at := r.path + "/refreshes/" + started.get("runId")
	atRest := func() bool { return r.send(recordtest.Owner, "GET", at, "").get("state") != "RUNNING" }
	rests := within(8*time.Second, atRest)
	r.send(recordtest.Owner, "DELETE", at, "")
	if rests || within(20*time.Second, atRest) {
		return ""
	}
	a.heldUp = true
	return fmt.Sprintf("run %d is held for ever; stopping it does not help", i)
}

// keepDocument has a reader hold a shared workbook with one run by an add-in after another, none of which plans, while the owner's run waits.
func (a *attacker) keepDocument() {
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
	fault := ""
	if !within(5*time.Minute, func() bool {
		lease := fmt.Sprintf("/api/v1/deployments/%d/refreshes/%s/lease", r.deployment, held)
		if !r.send(recordtest.Reader, "PUT", lease, `{"fence":1}`).ok() {
			held = cmp.Or(begin(), held)
		}
		return r.send(recordtest.Owner, "GET", r.path+"/refreshes/"+waits, "").get("endedAt") != ""
	}) {
		fault = "the owner's run still waits after 5 minutes"
	}
	a.try(8, "a shared workbook that a reader holds by an add-in", fault)
}
