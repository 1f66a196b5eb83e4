package simulation

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"time"

	"mooring/checksum"
	"mooring/placements"
)

// kind is something that happens at random.
type kind struct {
	name   string
	weight int
	fault  bool // it is no part of a quiet life
	do     func(*world, *rand.Rand)
}

// kinds are all of them.
var kinds = []kind{
	{"source changes", 24, false, (*world).changeSource},
	{"refresh", 22, false, (*world).askRefresh},
	{"refresh document", 3, false, (*world).askDocument},
	{"overwrite", 2, false, (*world).askOverwrite},
	{"connect again", 3, false, (*world).connectAgain},
	{"upsert", 2, false, (*world).upsert},
	{"stop", 2, false, (*world).stopRuns},
	{"give back", 3, false, (*world).giveBack},
	{"read", 2, false, (*world).read},
	{"type", 14, false, (*world).typeCell},
	{"type beside", 3, false, (*world).typeBeside},
	{"delete row", 3, false, (*world).deleteRow},
	{"swap rows", 3, false, (*world).swapRows},

	{"crash", 2, true, (*world).crashNow},
	{"crash at a step", 8, true, (*world).setTrap},
	{"start", 10, true, (*world).startAgain},
	{"pause", 2, true, (*world).pause},
	{"pause at a step", 6, true, (*world).setPause},
	{"redis down", 2, true, (*world).takeDown},
	{"fail over", 1, true, (*world).failOver},
	{"redis slow", 2, true, (*world).slowDown},
	{"answers lost", 4, true, (*world).loseAnswers},
	{"clock", 2, true, (*world).turnClock},
	{"doubtful writes", 5, true, (*world).doubtWrites},
	{"slow services", 3, true, (*world).stall},
	{"locked", 4, true, (*world).lock},
	{"moved away", 3, true, (*world).moveAway},
	{"quota", 2, true, (*world).useUp},
	{"source down", 2, true, (*world).takeSourceDown},
}

// swarm chooses which kinds of faults a world of a seed has: others find what each hides from the rest.
func swarm(seed uint64) map[string]bool {
	without := map[string]bool{}
	for i, k := range kinds {
		few := uint64(2)
		if k.name == "fail over" {
			few = 4 // which takes long to simulate
		}
		without[k.name] = k.fault && k.name != "start" && mixed(seed, 77, uint64(i))%5 < few
	}
	return without
}

// happen lets one thing happen.
func (w *world) happen(r *rand.Rand) {
	total := 0
	for _, k := range kinds {
		total += k.weight
	}
	lot := r.IntN(total)
	for _, k := range kinds {
		if lot -= k.weight; lot >= 0 {
			continue
		}
		if !w.without[k.name] {
			w.saw("event: " + k.name)
			w.trace.note("%s", k.name)
			k.do(w, r)
		}
		return
	}
}

// any returns a process that takes requests; nil where there is none.
func (w *world) any(r *rand.Rand) *process {
	list := w.running()
	if len(list) == 0 {
		return nil
	}
	return list[r.IntN(len(list))]
}

// ask sends a request of the owner to any process.
func (w *world) ask(r *rand.Rand, method, path, body string) response {
	if p := w.any(r); p != nil {
		return p.send(owner, method, path, body)
	}
	return response{}
}

func (w *world) changeSource(r *rand.Rand) {
	t := w.tables[fmt.Sprintf("q%d", r.IntN(tablesOf))]
	w.saw("source: " + t.change(r))
}

func (w *world) askRefresh(r *rand.Rand) {
	report, body := r.IntN(len(w.reports)), `{}`
	if p := w.placed[r.IntN(len(w.placed))]; r.IntN(3) == 0 {
		report, body = p.report, fmt.Sprintf(`{"placementId":%q}`, p.id)
	}
	w.ask(r, "POST", w.path(report)+"/refreshes", body)
}

func (w *world) askDocument(r *rand.Rand) {
	w.ask(r, "POST", fmt.Sprintf("/external-documents/d%d/refreshes", r.IntN(documents)), `{}`)
}

func (w *world) askOverwrite(r *rand.Rand) {
	p := w.placed[r.IntN(len(w.placed))]
	p.overrule = true
	for _, typed := range p.typed {
		typed.maybe = true
	}
	w.ask(r, "POST", w.path(p.report)+"/refreshes", fmt.Sprintf(`{"placementId":%q,"onEdit":"overwrite"}`, p.id))
}

func (w *world) connectAgain(r *rand.Rand) {
	p := w.placed[r.IntN(len(w.placed))]
	w.ask(r, "PUT", w.path(p.report)+"/connect-workbook", w.connection(p))
}

func (w *world) upsert(r *rand.Rand) {
	i := r.IntN(len(w.reports))
	w.ask(r, "PUT", fmt.Sprintf("/deployments/1/reports/by-public-id/report00000%d", i),
		fmt.Sprintf(`{"name":"Report %d, %d","sqlQuery":"q%d"}`, i, r.IntN(3), i))
}

// stopRuns stops the run that was made last of a report.
func (w *world) stopRuns(r *rand.Rand) {
	report := r.IntN(len(w.reports))
	runs, err := w.calm.Queue().Runs.OfReport(w.Context(), deployment, w.reports[report])
	must(w.T, err)
	for _, run := range runs {
		if run.EndedAt == "" {
			w.ask(r, "DELETE", fmt.Sprintf("/deployments/1/refreshes/%s", run.ID), "")
			return
		}
	}
}

func (w *world) giveBack(r *rand.Rand) {
	p := w.placed[r.IntN(len(w.placed))]
	for _, typed := range p.typed {
		typed.maybe = true
	}
	w.ask(r, "DELETE", fmt.Sprintf("%s/placements/%s/edits", w.path(p.report), p.id), "")
}

// read has somebody read who must not see what people typed.
func (w *world) read(r *rand.Rand) {
	p := w.placed[r.IntN(len(w.placed))]
	process := w.any(r)
	if process == nil {
		return
	}
	for _, path := range []string{
		w.path(p.report), fmt.Sprintf("%s/placements/%s/edits", w.path(p.report), p.id), w.path(p.report) + "/refreshes",
	} {
		a := process.send(reader, "GET", path, "")
		if at := w.tells(a.text); at != "" {
			w.fault("GET %s shows a reader what a person typed: %s", path, at)
		}
	}
}

// firstTyped is a number that no table has; people type larger ones.
const firstTyped = 7_000_000

// typedNumber is one that people type, where it stands for itself: not within the hexadecimal digits of a hash.
var typedNumber = regexp.MustCompile(`(^|[^0-9a-f])700\d{4}($|[^0-9a-f])`)

// tells is the part of a text that tells what a person typed; empty: it has none.
func (w *world) tells(text string) string {
	at := typedNumber.FindStringIndex(text)
	if at == nil {
		return ""
	}
	return text[max(0, at[0]-40):min(len(text), at[1]+20)]
}

// block returns a placement with rows in its block.
func (w *world) block(r *rand.Rand) (p *placed, at placements.Rect, ok bool) {
	p = w.placed[r.IntN(len(w.placed))]
	at, ok = p.book.markers[p.id]
	return p, at, ok && at.Bottom > at.Top
}

func (w *world) typeCell(r *rand.Rand) {
	p, at, ok := w.block(r)
	if !ok || at.Right == at.Left {
		return
	}
	row, column := at.Top+1+r.IntN(at.Bottom-at.Top), 1+r.IntN(at.Right-at.Left)
	key := p.book.cells[[2]int{row, at.Left}].Text
	w.typed++
	p.typed[cellOf{key, column}] = &typedCell{value: w.typed, maybe: p.overrule}
	p.book.set(row, at.Left+column, checksum.Num(w.typed))
	p.book.changes++
	w.trace.note("%s: %v typed in column %d of %s", p.id, w.typed, column, key)
}

func (w *world) typeBeside(r *rand.Rand) {
	p := w.placed[r.IntN(len(w.placed))]
	w.typed++
	at := [2]int{r.IntN(30), p.column + 3 + r.IntN(2)}
	p.beside[at] = checksum.Num(w.typed)
	p.book.set(at[0], at[1], p.beside[at])
	p.book.changes++
}

func (w *world) deleteRow(r *rand.Rand) {
	p, at, ok := w.block(r)
	if !ok || at.Bottom-at.Top < 3 {
		return
	}
	row := at.Top + 1 + r.IntN(at.Bottom-at.Top)
	key := p.book.cells[[2]int{row, at.Left}].Text
	for ; row <= at.Bottom; row++ {
		for column := at.Left; column <= at.Right; column++ {
			p.book.set(row, column, p.book.cells[[2]int{row + 1, column}])
		}
	}
	at.Bottom--
	p.book.markers[p.id] = at
	p.book.changes++
	p.removed[key] = time.Now()
	for cell := range p.typed {
		if cell.key == key {
			delete(p.typed, cell)
			p.emptied = time.Now()
		}
	}
	w.trace.note("%s: row %s deleted", p.id, key)
}

func (w *world) swapRows(r *rand.Rand) {
	p, at, ok := w.block(r)
	if !ok || at.Bottom-at.Top < 2 {
		return
	}
	one, other := at.Top+1+r.IntN(at.Bottom-at.Top), at.Top+1+r.IntN(at.Bottom-at.Top)
	for column := at.Left; column <= at.Right; column++ {
		a, b := p.book.cells[[2]int{one, column}], p.book.cells[[2]int{other, column}]
		p.book.set(one, column, b)
		p.book.set(other, column, a)
	}
	p.book.changes++
	w.trace.note("%s: rows %d and %d swapped", p.id, one, other)
}

func (w *world) crashNow(r *rand.Rand) {
	if p := w.any(r); p != nil {
		p.crash("at any moment")
	}
}

// steps are those at which a process may crash, before or after.
var steps = []string{
	"begin", "claim", "query", "open", "read", "write ahead", "write", "complete", "fire", "enqueue", "requeue", "lease due", "renew attempt",
	"xreadgroup", "transaction", "lock document", "unlock", "stop", "name", "blocks",
}

func (w *world) setTrap(r *rand.Rand) { w.trapped(r, 0) }

func (w *world) setPause(r *rand.Rand) { w.trapped(r, lengthOfPause(r)) }

// trapped has a process crash at a step soon, or stand still there for a while.
func (w *world) trapped(r *rand.Rand, pause time.Duration) {
	p := w.any(r)
	step, after, count := steps[r.IntN(len(steps))], r.IntN(2) == 0, r.IntN(2)
	if p != nil {
		p.trap = &trap{step, after, count, pause}
	}
	w.askRefresh(r)
}

func (w *world) startAgain(*rand.Rand) {
	for i := range w.procs {
		w.revive(i)
	}
}

func (w *world) pause(r *rand.Rand) {
	length := lengthOfPause(r)
	if p := w.any(r); p != nil {
		p.frozen = time.Now().Add(length)
	}
}

// lengthOfPause is one within a lease, or one in which the other process takes over.
func lengthOfPause(r *rand.Rand) time.Duration {
	if r.IntN(2) == 0 {
		return time.Duration(1+r.IntN(20)) * time.Second
	}
	return time.Duration(20+r.IntN(220)) * time.Second
}

// soon is some time from now.
func soon(r *rand.Rand, seconds int) time.Time {
	return time.Now().Add(time.Duration(1+r.IntN(seconds)) * time.Second)
}

func (w *world) takeDown(r *rand.Rand)       { w.network.down = soon(r, 30) }
func (w *world) slowDown(r *rand.Rand)       { w.network.slow = soon(r, 120) }
func (w *world) loseAnswers(r *rand.Rand)    { w.network.lossy = soon(r, 180) }
func (w *world) doubtWrites(r *rand.Rand)    { w.doubtful = soon(r, 300) }
func (w *world) stall(r *rand.Rand)          { w.stalled = soon(r, 180) }
func (w *world) useUp(r *rand.Rand)          { w.quotaOut = soon(r, 120) }
func (w *world) takeSourceDown(r *rand.Rand) { w.sourceDown = soon(r, 240) }

// maxSkew is how far the clock of Redis is ahead at most.
const maxSkew = time.Minute

// turnClock moves the clock of Redis, to up to a minute ahead of that of the processes; once ahead, mostly forward.
func (w *world) turnClock(r *rand.Rand) {
	w.network.skew = time.Duration(r.Int64N(int64(maxSkew)))
}

func (w *world) lock(r *rand.Rand) {
	b := w.books[fmt.Sprintf("d%d", r.IntN(documents))]
	b.locked = !b.locked
}

func (w *world) moveAway(r *rand.Rand) {
	b := w.books[fmt.Sprintf("d%d", r.IntN(documents))]
	b.gone = !b.gone
}
