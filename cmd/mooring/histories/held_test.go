//go:build unix

package histories

import (
	"strconv"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

// leaseLasts is how long a client run is held at the least, as the test's clock sees it: nothing renews the lease of one without a plan.
const leaseLasts = int64(119 * time.Second)

// held is the client runs of a placement. The one that holds it may end by itself, as its lease does, but no sooner; one that has ended does
// not go on, and another one begins only then.
type held struct {
	id     string // of the one that holds it; empty for none, unknown for one whose begin had no answer
	ending bool   // it was asked to stop: it does not go on, but is shown at work, and may be asked again, until it has ended
	since  int64  // when it was begun at the earliest
	digest string // of the result of its last plan; empty for none, unknown for a plan without an answer
	ended  string // the states of the others, by their ids, encoded by join: behind an @ the digest of one that was completed, or when one failed
	shown  string // digest of the result that stands at the placement
}

// step returns what may have become of the runs by a request about them: nothing, if it cannot have been answered so.
func (h held) step(e *entry) []held {
	if e.Refused != "" {
		return []held{h} // nothing was done
	}
	if h.id == unknown && e.ID != "" && split(h.ended)[e.ID] == "" {
		h.id = e.ID // a refusal told it
	}
	switch e.Do {
	case begin:
		return h.begins(e)
	case stop:
		return h.stops(e)
	case get:
		return h.isRead(e)
	case planRun:
		return h.plans(e)
	case complete:
		return h.completes(e)
	case renew:
		return when(e.lost() || e.Status == statusOK && h.holds(e), h, h.lost(e)...)
	}
	return when(e.Status == statusOK && e.Got["digest"] == h.shown, h)
}

// when is next if ok, else the others.
func when(ok bool, next held, others ...held) []held {
	if ok {
		return []held{next}
	}
	return others
}

// holds reports whether a request is about the run that holds the placement.
func (h held) holds(e *entry) bool { return h.id != "" && h.id == e.ID && !h.ending }

// isOver reports whether the lease may have ended before a request was answered.
func (h held) isOver(e *entry) bool { return h.id != "" && e.Return-h.since >= leaseLasts }

// end is h once its run has ended in that state; empty if that is not known.
func (h held) end(state string) held {
	next := held{ended: h.ended, shown: h.shown}
	if h.id != unknown && state != "" {
		ended := split(h.ended)
		ended[h.id] = state
		next.ended = join(ended)
	}
	return next
}

// lost is what comes of an answer that the run is not held any more, if it is one.
func (h held) lost(e *entry) []held {
	switch {
	case e.Status != statusConflict || e.Got["code"] != "lease_lost":
		return nil
	case !h.holds(e):
		return []held{h}
	}
	return when(h.isOver(e), h.end(""))
}

func (h held) begins(e *entry) []held {
	next := h.end("")
	next.id, next.since = unknown, e.Call
	if h.id != "" && !h.ending && !h.isOver(e) {
		return when(e.lost(), h)
	}
	if !e.lost() {
		next.id = e.Got["id"]
	}
	return when(e.lost() || e.Status == statusAccepted, next)
}

func (h held) stops(e *entry) []held {
	next := h
	next.ending = h.id != ""
	switch {
	case e.lost():
		return when(h.holds(e), next, h)
	case e.Status == statusAccepted:
		return when(h.id != "" && h.id == e.ID, next)
	}
	return h.isRead(e)
}

// isRead is a run that is shown. One that holds the placement has not ended unless it was asked to, or its lease is over.
func (h held) isRead(e *entry) []held {
	state, is := e.Got["state"], h.id != "" && h.id == e.ID
	switch {
	case e.Status != statusOK:
		return nil
	case state == "RUNNING":
		return when(is && e.Do == get, h)
	case is:
		return when(h.ending && state == "STOPPED" || h.isOver(e) && state == "FAILED", h.end(state))
	}
	known, _, _ := strings.Cut(split(h.ended)[e.ID], "@")
	return when(known == "" || known == state, h)
}

// plans is a plan of a run. Its query fails now and then, which ends the run.
func (h held) plans(e *entry) []held {
	next := h
	next.digest = e.Got["digest"]
	switch {
	case e.lost() && h.holds(e):
		next.digest = unknown
		return []held{next, h.end(failedBy(e)), h}
	case e.lost():
		return []held{h}
	case e.Status == statusUnprocessable:
		return when(h.holds(e), h.end(failedBy(e)), when(h.failedMeanwhile(e), h)...)
	}
	return when(e.Status == statusOK && h.holds(e), next, h.lost(e)...)
}

// failedBy is the state of a run whose query failed for a plan, with until when that was under way.
func failedBy(e *entry) string { return "FAILED@" + strconv.FormatInt(e.Return, 10) }

// failedMeanwhile reports whether another plan, which was under way with this one, has ended the run as its query failed: this one may say the
// same, as the run has ended as it was to end it.
func (h held) failedMeanwhile(e *entry) bool {
	state, at, _ := strings.Cut(split(h.ended)[e.ID], "@")
	until, err := strconv.ParseInt(at, 10, 64)
	return err == nil && state == "FAILED" && e.Call < until
}

// completes is the end of a run by the client, which says what it has written: the result of the last plan, or nothing is settled.
func (h held) completes(e *entry) []held {
	wrote := e.Set["digest"]
	done := h.end("SUCCEEDED@" + wrote)
	done.shown = wrote
	switch settles := h.holds(e) && h.digest == wrote; {
	case e.lost():
		return when(settles, done, h)
	case e.Status == statusOK && settles:
		return []held{done}
	case e.Status == statusOK:
		return when(split(h.ended)[e.ID] == "SUCCEEDED@"+wrote, h)
	case e.Status == statusConflict && e.Got["code"] == "digest_mismatch":
		return when(h.holds(e) && !settles, h)
	case split(h.ended)[e.ID] == "SUCCEEDED@"+wrote:
		return nil
	}
	return h.lost(e)
}

// heldModel is the model of the client runs of a placement.
func heldModel() *porcupine.NondeterministicModel {
	return &porcupine.NondeterministicModel{
		Init: func() []any { return []any{held{}} },
		Step: func(state, input, _ any) (next []any) {
			for _, h := range state.(held).step(input.(*entry)) {
				next = append(next, h)
			}
			return next
		},
		DescribeOperation: func(input, _ any) string { return input.(*entry).String() },
	}
}
