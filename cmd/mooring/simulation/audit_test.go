package simulation

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2/proto"

	"mooring/checksum"
	"mooring/placements"
	"mooring/storage"
	"mooring/storage/keys"
	"mooring/storage/record"
)

// auditor checks a world. It knows what the source said and what people did, and nothing of the engine.
type auditor struct {
	faults []string
	final  map[string]string   // runs that have ended, as they were stored then
	fences map[string]int      // attempts of runs
	begun  map[string]*process // who began an attempt, by its run and number
}

func newAuditor() auditor {
	return auditor{final: map[string]string{}, fences: map[string]int{}, begun: map[string]*process{}}
}

// fault notes that a property does not hold.
func (w *world) fault(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	w.trace.note("FAULT %s", text)
	w.faults = append(w.faults, time.Now().UTC().Format("02 15:04:05.000 ")+text)
}

// stored returns the placements as they are stored, by their ids.
func (w *world) stored() map[string]storage.Placed {
	list := map[string]storage.Placed{}
	for _, id := range w.reports {
		r, err := w.calm.Reports().Get(w.Context(), deployment, id)
		must(w.T, err)
		for _, p := range r.Placements {
			list[p.ID] = p
		}
	}
	return list
}

// audit checks the placements.
func (w *world) audit() {
	if len(w.faults) > 0 {
		return // what follows from a fault says nothing new
	}
	stored := w.stored()
	for i := range documents {
		w.auditBook(w.books[fmt.Sprintf("d%d", i)])
	}
	for _, p := range w.placed {
		w.auditBeside(p)
		if s, ok := stored[p.id]; ok {
			w.auditPlacement(p, s)
		}
	}
}

// auditBook checks that nothing stands in a document that is neither in a block nor a person's.
func (w *world) auditBook(b *book) {
	for at, c := range b.cells {
		allowed := false
		for _, p := range w.placed {
			r, ok := b.markers[p.id]
			inside := ok && at[0] >= r.Top && at[0] <= r.Bottom && at[1] >= r.Left && at[1] <= r.Right
			allowed = allowed || inside || p.book == b && p.beside[at] == c
		}
		if !allowed {
			w.fault("%s: %v stands at %v, outside of all blocks", b.name, c, at)
		}
	}
}

// auditBeside checks what people typed beside a block.
func (w *world) auditBeside(p *placed) {
	for at, want := range p.beside {
		if got := p.book.cells[at]; got != want {
			w.fault("%s: beside the block, a person typed %v at %v, where %v stands", p.id, want, at, got)
		}
	}
}

// shown is the version of its table that a placement is said to show, by its digest.
func (w *world) shown(p *placed, s storage.Placed) (v version, index int, ok bool) {
	t := w.tables[fmt.Sprintf("q%d", p.report)]
	if s.ResultChecksum == nil {
		return v, 0, false
	}
	for i := len(t.served) - 1; i >= 0; i-- {
		if reflect.DeepEqual(t.served[i].sum(), *s.ResultChecksum) {
			return t.served[i].version, i, true
		}
	}
	return v, 0, false
}

// writing reports whether another run than that one has begun to write a block and has not completed it.
func (w *world) writing(p *placed, run string) bool {
	text, err := w.network.redis.Get(keys.Of(deployment, partitions).Blocks().WriteAheadRows(w.reports[p.report], p.id))
	return err == nil && !strings.Contains(text, run)
}

// auditPlacement checks a placement whose last run has succeeded.
func (w *world) auditPlacement(p *placed, s storage.Placed) {
	if s.LastRun == nil || s.LastRun.State != placements.RunSucceeded {
		return
	}
	if p.run = w.began(s.LastRun); p.run.Before(p.lost) {
		return
	}
	if w.writing(p, s.LastRun.RunID) {
		w.saw("audit: a placement that an older run writes, too")
		return
	}
	w.saw("audit: placement")
	v, index, ok := w.shown(p, s)
	if !ok {
		w.fault("%s: its digest is that of nothing that the source has returned", p.id)
		return
	}
	if index < p.version {
		w.fault("%s shows an older state of the source than before", p.id)
	}
	p.version = index
	for _, what := range w.differences(p, v) {
		w.fault("%s, SUCCEEDED in run %s: %s", p.id, s.LastRun.RunID, what)
	}
	if s.Edits != nil && len(p.typed) == 0 && p.emptied.Before(p.run) {
		w.fault("%s has edits %+v, and nothing of a person stood there when its last run began", p.id, *s.Edits)
	}
}

// began is when a run may have begun at the earliest, by our clock.
func (w *world) began(run *placements.LastRun) time.Time {
	t, err := time.Parse(time.RFC3339, run.StartedAt)
	must(w.T, err)
	return t.Add(-maxSkew)
}

// differences compares the block of a placement with a version of its table and with what people did. What a run says to have replaced may
// be gone: where it is not known which cells of a row are a person's, they go with a column that the source has dropped.
func (w *world) differences(p *placed, v version) []string {
	list := w.compare(p, v)
	if len(list) > 0 && w.replaced(p) {
		list = w.compare(p, v)
	}
	return list
}

// replaced notes which cells of people runs say to have replaced, and reports whether there are any.
func (w *world) replaced(p *placed) (some bool) {
	values := map[float64]bool{}
	runs, err := w.calm.Queue().Runs.OfReport(w.Context(), deployment, w.reports[p.report])
	must(w.T, err)
	for _, run := range runs {
		for _, o := range run.Placements {
			for _, row := range o.Overwritten {
				for _, value := range row.Values {
					if number, ok := value.(float64); ok && o.PlacementID == p.id {
						values[number] = true
					}
				}
			}
		}
	}
	for _, typed := range p.typed {
		if values[typed.value] && !typed.maybe {
			typed.maybe, some = true, true
			w.saw("edits: replaced, and kept in the run")
		}
	}
	return some
}

// compare is differences as far as people and the source alone say.
func (w *world) compare(p *placed, v version) (list []string) {
	r, ok := p.book.markers[p.id]
	if !ok {
		return []string{"there is no marker"}
	}
	differ := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	want := map[string][]checksum.Cell{}
	grid := v.grid()
	for _, cells := range grid[1:] {
		want[cells[0].Text] = cells
	}
	if got := r.Right - r.Left + 1; got != v.columns() {
		differ("the block has %d columns, the source %d", got, v.columns())
	}
	found, strangers := map[string]bool{}, 0
	for row := r.Top + 1; row <= r.Bottom; row++ {
		key := p.book.cells[[2]int{row, r.Left}].Text
		if found[key] {
			differ("%q stands there twice", key)
		}
		found[key] = true
		cells, kept := want[key], false
		for column := 1; column < v.columns(); column++ {
			got, typed := p.book.cells[[2]int{row, r.Left + column}], p.typed[cellOf{key, column}]
			mine := typed != nil && got == checksum.Num(typed.value)
			kept = kept || mine
			switch {
			case cells != nil && got == cells[column] && (typed == nil || typed.maybe || cells[column] == checksum.Num(typed.value)):
			case mine:
			case typed != nil && !typed.maybe:
				differ("%v stands where a person typed %v, in column %d of %q", got, typed.value, column, key)
			case cells != nil && p.keeps(key) && w.said(p, key, column, got): // a row that is kept whole
			case cells != nil && p.stoodIn(want, key, column, got):
				w.saw("edits: typed in a row that stood for another one")
			case cells != nil:
				differ("%v stands where the source says %v, in column %d of %q", got, cells[column], column, key)
			}
		}
		switch {
		case cells != nil:
		case kept || p.keeps(key):
			strangers++
		default:
			differ("%q stands there, which the source does not have", key)
		}
	}
	for key, at := range p.removed {
		if want[key] == nil && at.After(p.run) { // it may have stood for one of the source
			strangers++
		}
	}
	var missing []string
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if at, gone := p.removed[key]; !found[key] && !(gone && at.After(p.run)) {
			missing = append(missing, key)
		}
	}
	if len(missing) > strangers { // each row that a person has typed in stands for at most one of the source
		differ("%q are missing, and %d rows of people stand there", missing, strangers)
	}
	for _, at := range slices.SortedFunc(maps.Keys(p.typed), compareCells) {
		if typed := p.typed[at]; !typed.maybe && !found[at.key] && at.column < v.columns() {
			differ("%v, which a person typed in column %d of %q, is gone", typed.value, at.column, at.key)
		}
	}
	return list
}

// said reports whether the source has ever said that of a cell.
func (w *world) said(p *placed, key string, column int, c checksum.Cell) bool {
	t := w.tables[fmt.Sprintf("q%d", p.report)]
	return slices.ContainsFunc(t.served, func(v served) bool {
		return slices.ContainsFunc(v.rows, func(r row) bool { return r.key == key && checksum.Num(r.values[column-1]) == c })
	})
}

// stoodIn reports whether a person typed that, for a while, into that column of a row which the source does not have: where a row of the source
// was deleted beside it, it stands for that one, which has come back since, as cells of it were given back.
func (p *placed) stoodIn(want map[string][]checksum.Cell, key string, column int, c checksum.Cell) bool {
	if _, gone := p.removed[key]; !gone {
		return false
	}
	for at, typed := range p.typed {
		if want[at.key] == nil && at.column == column && typed.maybe && c == checksum.Num(typed.value) {
			return true
		}
	}
	return false
}

// keeps reports whether a person has typed in a row.
func (p *placed) keeps(key string) bool {
	for at := range p.typed {
		if at.key == key {
			return true
		}
	}
	return false
}

func compareCells(a, b cellOf) int {
	if c := strings.Compare(a.key, b.key); c != 0 {
		return c
	}
	return a.column - b.column
}

// unsettled says what is not true yet, when nothing fails any more.
func (w *world) unsettled() (list []string) {
	stored := w.stored()
	for _, p := range w.placed {
		s, ok := stored[p.id]
		switch {
		case !ok:
		case s.LastRun != nil && s.LastRun.ErrorClass == placements.Conflict && w.dropped(p):
			w.saw("conflict: typed in a column that is gone")
		case s.LastRun != nil && s.LastRun.ErrorClass == placements.Conflict && p.unsure(s.LastRun):
			w.saw("conflict: typed where writes were lost")
		case s.LastRun == nil || s.LastRun.State != placements.RunSucceeded:
			list = append(list, fmt.Sprintf("%s: its last run is %+v", p.id, s.LastRun))
		default:
			p.run = w.began(s.LastRun)
			for _, what := range w.differences(p, w.tables[fmt.Sprintf("q%d", p.report)].version) {
				list = append(list, p.id+": "+what)
			}
		}
	}
	return list
}

// dropped reports whether a person typed in a row, and the source has dropped a column: that is left to people, since which cells of the row
// are the person's may not be known.
func (w *world) dropped(p *placed) bool {
	return len(p.typed) > 0 && !w.tables[fmt.Sprintf("q%d", p.report)].wide
}

// unsure reports whether a conflict is that a person typed in the block, and no run has refreshed it since the last writes were lost: that is left
// to people, since whose the row's other cells are is not known.
func (p *placed) unsure(last *placements.LastRun) bool {
	return len(p.typed) > 0 && p.run.Before(p.lost) && strings.Contains(last.Error, "the storage is behind the sheet")
}

// auditRuns checks all runs that are remembered.
func (w *world) auditRuns() {
	if len(w.faults) > 0 {
		return
	}
	for _, id := range w.reports {
		runs, err := w.calm.Queue().Runs.OfReport(w.Context(), deployment, id)
		must(w.T, err)
		for _, run := range runs {
			w.auditRun(run)
		}
	}
}

// auditStep checks the runs that a command of a process may have changed, as soon as it has: that one which has ended stays as it is, that
// attempts never go back, and that no two agents have the same. begun says of the runs that a step begins, in their order, which it has begun.
func (w *world) auditStep(p *process, step string, args []string, begun []bool) {
	runs := 0
	for _, key := range args {
		_, id, found := strings.Cut(key, ":d:1:run:")
		if !found || id == "" || strings.Contains(id, " ") {
			continue
		}
		runs++
		text, fence := w.network.redis.HGet(key, "run"), w.network.redis.HGet(key, "fence")
		if text == "" {
			continue
		}
		if by := w.begun[id+" "+fence]; step == "begin" && runs <= len(begun) && begun[runs-1] {
			if by != nil && by != p {
				w.fault("attempt %s of run %s was begun by %s, and again by %s", fence, id, by.name, p.name)
			}
			w.begun[id+" "+fence] = p
		}
		if attempt, _ := strconv.Atoi(fence); attempt < w.fences[id] {
			w.fault("run %s is at attempt %d, and was at %d", id, attempt, w.fences[id])
		} else {
			w.fences[id] = attempt
		}
		before, ended := w.final[id]
		switch {
		case ended && before != text:
			w.fault("run %s had ended as %s, and is %s", id, before, text)
		case strings.Contains(text, `"endedAt"`):
			w.final[id] = text
		}
	}
}

// begunOf reads the reply of a script that begins attempts: one attempt, or a list of them. An attempt that was not begun is an empty list.
func begunOf(reply string) (begun []bool) {
	list, _ := proto.ReadArray(reply) // none of another kind of reply
	for _, one := range list {
		if !strings.HasPrefix(one, "*") {
			return []bool{true}
		}
		begun = append(begun, one != proto.Array())
	}
	return begun
}

func TestBegunOf(t *testing.T) {
	attempt := proto.Array(proto.String("{}"), proto.Int(1), proto.Array(proto.Strings("a", "b")), proto.Nil)
	for reply, want := range map[string][]bool{
		attempt: {true}, proto.Array(attempt, proto.Array(), attempt): {true, false, true}, proto.Array(): nil, proto.Nil: nil, "_\r\n": nil,
	} {
		if got := begunOf(reply); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", reply, got, want)
		}
	}
}

// auditRun checks that the state of a run follows from those of its placements.
func (w *world) auditRun(run *record.Run) {
	w.trace.note("run %s %s attempt %d", run.ID, run.State, run.Attempt)
	if run.EndedAt != "" {
		w.saw("run: " + string(run.State))
		w.sawRun(run)
	}
	if w.failedWhole(run) {
		return
	}
	if want := derived(run); len(run.Placements) > 0 && run.State != want {
		w.fault("run %s is %s, and its placements make it %s: %s", run.ID, run.State, want, told(run))
	}
}

// sawRun notes what a run has done.
func (w *world) sawRun(run *record.Run) {
	if run.Trigger == record.TriggerCatchUp {
		w.saw("tick: caught up")
	}
	for _, o := range run.Placements {
		if len(o.EditedRows) > 0 {
			w.saw("edits: kept")
		}
		if len(o.Overwritten) > 0 {
			w.saw("edits: overwritten")
		}
		if o.ReturnedRows > 0 {
			w.saw("rows: came back")
		}
	}
}

// derived is the state of a run that follows from those of its placements (decisions.md §7b).
func derived(run *record.Run) placements.RunState {
	has := map[placements.RunState]bool{}
	for _, o := range run.Placements {
		has[o.State] = true
	}
	for _, state := range []placements.RunState{
		placements.RunRunning, placements.RunQueued, placements.RunFailed, placements.RunSucceeded, placements.RunSuperseded, placements.RunStopped,
	} {
		if has[state] {
			if run.State == placements.RunRunning && run.EndedAt == "" {
				return run.State // the attempt is at work, and may not know of all placements yet
			}
			if run.State == placements.RunQueued && run.EndedAt == "" && run.ErrorClass == placements.Transient {
				return run.State // likewise of an attempt that failed as a whole
			}
			return state
		}
	}
	return placements.RunSkipped
}

// failedWhole reports whether a run failed as a whole before it had tried each of its placements: the others are not in it.
func (w *world) failedWhole(run *record.Run) bool {
	wanted := 0
	for _, p := range w.placed {
		if int64(w.reports[p.report]) == run.ReportID && run.PlacementID == "" && (run.ExternalWorkbookID == "" || run.ExternalWorkbookID == p.book.name) {
			wanted++
		}
	}
	return run.State == placements.RunFailed && run.ErrorClass == placements.Transient && len(run.Placements) < wanted
}

// auditTicks checks that each tick of each schedule has one run, or was missed and is counted.
func (w *world) auditTicks() {
	for _, s := range w.schedules {
		runs, err := w.calm.Queue().Runs.OfSchedule(w.Context(), deployment, s.id)
		must(w.T, err)
		got := 0
		fired := map[string]bool{}
		for _, run := range runs {
			if run.Trigger != record.TriggerSchedule && run.Trigger != record.TriggerCatchUp {
				continue
			}
			got += 1 + run.MissedFires
			if fired[run.FireTime] {
				w.fault("schedule %d has two runs of %s", s.id, run.FireTime)
			}
			fired[run.FireTime] = true
		}
		stored, err := w.calm.Schedules().Get(w.Context(), deployment, s.id)
		must(w.T, err)
		if stored.PausedReason != "" {
			w.saw("schedule: paused") // after ticks that failed and were not tried again
			continue
		}
		now := time.Now().Add(w.network.skew)
		if want := s.ticks(now); got != want {
			w.fault("schedule %d of report %d has runs for %d ticks, want %d: %v", s.id, s.report, got, want, slices.Sorted(maps.Keys(fired)))
		}
	}
}

// ticks is how many times of a schedule have come.
func (s *scheduled) ticks(now time.Time) (n int) {
	if s.every == 0 {
		for at := s.from.Truncate(24 * time.Hour); at.Before(now); at = at.Add(24 * time.Hour) {
			if t := nightly(at); t.After(s.from) && !t.After(now) {
				n++
			}
		}
		return n
	}
	for at := s.from.Truncate(time.Minute).Add(time.Minute); !at.After(now); at = at.Add(time.Minute) {
		if m := at.Minute() - s.first; m >= 0 && m%s.every == 0 {
			n++
		}
	}
	return n
}

// nightly is half past two in Berlin on a day, on which that may not exist, or exist twice.
func nightly(day time.Time) time.Time {
	switch {
	case day.Month() == 3 && day.Day() == 29:
		return day.Add(time.Hour) // 3:00, the first instant after the gap
	case day.Month() == 10 && day.Day() == 25:
		return day.Add(30 * time.Minute)
	case day.Month() == 3 && day.Day() > 29 || day.Month() == 10 && day.Day() < 25:
		return day.Add(30 * time.Minute)
	}
	return day.Add(90 * time.Minute)
}

// told is a run as a person reads it.
func told(run *record.Run) string {
	text, err := json.Marshal(run)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
