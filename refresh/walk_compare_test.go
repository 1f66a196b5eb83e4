package refresh

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/record/lifecycle/lifecycletest"
)

// The keys of the walk's deployment, of which the storage keeps all in one partition.

func (w *walk) partition() string {
	prefix, _, _ := strings.Cut(w.prefix(), "}")
	return prefix + "}:"
}

func (w *walk) queueKey() string { return w.partition() + "runs" }

func (w *walk) lock(r int) string {
	tenant, _, _ := strings.Cut(w.prefix(), "d:1:")
	return tenant + "lock:doc:" + w.document(int(w.model.Scenario.Runs[r].Places-1))
}

// prefix begins the keys of the deployment.
func (w *walk) prefix() string {
	if w.keys == "" {
		list, err := w.rdb.Keys(w.Context(), fmt.Sprintf("*d:1:report:%d:placements", w.report)).Result()
		must(w.T, err)
		if len(list) != 1 {
			w.Fatalf("%d keys for the placements of a report", len(list))
		}
		w.keys, _, _ = strings.Cut(list[0], "report:")
	}
	return w.keys
}

// owner is the worker that has an entry of the queue; empty: none has it.
func (w *walk) owner(id string) string {
	list, err := w.rdb.XPendingExt(w.Context(), &redis.XPendingExtArgs{Stream: w.queueKey(), Group: "agents", Start: id, End: id, Count: 1}).Result()
	must(w.T, err)
	if len(list) == 0 {
		return ""
	}
	return list[0].Consumer
}

// walkedRun is what is compared of a run.
type walkedRun struct {
	State                                      placements.RunState
	Fence                                      string
	Stop, Due, Lock, Held, Waits, Active, Ends bool
	Entries                                    [3]string
	Said, Taken                                [lifecycletest.MaxPlaces]string
}

// compare fails on a difference between the model and the storage.
func (w *walk) compare(before *lifecycletest.World) {
	w.Helper()
	w.nameEntries(before)
	for r := range w.runs {
		if w.world.Runs[r].State == lifecycletest.None {
			continue
		}
		if diff := cmp.Diff(w.modelled(r), w.stored(r)); diff != "" {
			w.differs(fmt.Sprintf("run %d differs (-model +storage):\n%s", r, diff))
		}
	}
	for p, id := range w.places[:w.model.Scenario.Places] {
		fields, err := w.rdb.HMGet(w.Context(), w.prefix()+fmt.Sprintf("report:%d:placements", w.report), "p:"+id, "w:"+id).Result()
		must(w.T, err)
		want := ""
		if by := w.world.Places[p].Wanted; by > 0 {
			want = w.runs[by-1]
		}
		if wanted, _ := fields[1].(string); (fields[0] == nil) != w.world.Places[p].Gone || wanted != want {
			w.differs(fmt.Sprintf("placement %d is wanted by %q, want %q; it is gone: %t", p, w.name(wanted), w.name(want), fields[0] == nil))
		}
	}
}

// name is the number of a run.
func (w *walk) name(id string) string {
	if i := slices.Index(w.runs[:], id); id != "" && i >= 0 {
		return fmt.Sprint("run ", i)
	}
	return id
}

// nameEntries finds the entries of the queue that have come.
func (w *walk) nameEntries(before *lifecycletest.World) {
	list, err := w.rdb.XRange(w.Context(), w.queueKey(), "-", "+").Result()
	must(w.T, err)
	for r := range w.runs {
		for i, owner := range w.world.Runs[r].Entries {
			was := before.Runs[r].Entries[i]
			if came := owner == lifecycletest.InQueue && was != owner; !came { // perhaps in the place of another one
				continue
			}
			at := slices.IndexFunc(list, func(m redis.XMessage) bool {
				return m.Values["r"] == w.runs[r] && !slices.Contains(w.entries[r][:], m.ID)
			})
			w.entries[r][i] = ""
			if at >= 0 {
				w.entries[r][i] = list[at].ID
			}
		}
	}
	for _, m := range list {
		for r := range w.runs {
			if m.Values["r"] == w.runs[r] && !slices.Contains(w.entries[r][:], m.ID) {
				w.differs(fmt.Sprintf("run %d has an entry %s in the queue", r, m.ID))
			}
		}
	}
}

// modelled is a run as the model has it.
func (w *walk) modelled(r int) (s walkedRun) {
	run := &w.world.Runs[r]
	s.State, s.Fence = run.State.Name(), fmt.Sprint(run.Fence)
	s.Stop, s.Due, s.Lock, s.Held, s.Active, s.Ends = run.Stop, run.Due, run.Lock, run.Held, run.Active, run.State.Ended()
	s.Waits = run.Lined && !s.Ends
	for i, owner := range run.Entries {
		switch {
		case owner == lifecycletest.NoEntry:
		case owner == lifecycletest.InQueue:
			s.Entries[i] = "no worker"
		case owner == lifecycletest.OfDead:
			s.Entries[i] = "dead"
		default:
			s.Entries[i] = w.workers[owner-lifecycletest.HeldBy].name
		}
	}
	for p := range w.model.Scenario.Places {
		if w.says(r, p) {
			s.Said[p] = run.Said[p].String()
		}
		if by := run.Taken[p]; by > 0 {
			s.Taken[p] = w.name(w.runs[by-1])
		}
	}
	return s
}

// says reports whether what a run says of a placement is compared: not of one that is gone, which an attempt may find late; and not as long as a
// run is worked on that may take over what users requested with another one, which is stored with all that it says.
func (w *walk) says(r, p int) bool {
	asked := slices.ContainsFunc(w.model.Scenario.Runs, func(plan lifecycletest.RunPlan) bool { return plan.Asks })
	return !w.world.Places[p].Gone && !(asked && w.world.Runs[r].State == lifecycletest.Running)
}

// stored is a run as the storage has it.
func (w *walk) stored(r int) (s walkedRun) {
	id := w.runs[r]
	hash, err := w.rdb.HGetAll(w.Context(), w.prefix()+"run:"+id).Result()
	must(w.T, err)
	run, err := record.ReadRun(id, hash["run"])
	must(w.T, err)
	s.State, s.Fence, s.Ends = placements.RunState(hash["state"]), hash["fence"], run.EndedAt != ""
	_, s.Stop = hash["stop"]
	_, s.Held = hash["held"]
	s.Due = w.isDue(id)
	if w.model.Scenario.Runs[r].Kind == lifecycletest.Client {
		token, _ := w.rdb.Get(w.Context(), w.lock(r)).Result()
		s.Lock = strings.HasPrefix(token, "client:"+id)
	}
	s.Active, s.Waits = w.isActive(r, run)
	for i, entry := range w.entries[r] {
		s.Entries[i] = w.entryOwner(entry)
	}
	for line := range strings.Lines(hash["taken"]) {
		p, by, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		s.Taken[slices.Index(w.places[:], p)] = w.name(by)
	}
	for p := range w.model.Scenario.Places {
		if w.says(r, p) {
			s.Said[p] = string(saidOf(run, w.places[p]).State)
		}
	}
	return s
}

// isDue reports whether a run stands in the due set.
func (w *walk) isDue(id string) bool {
	member := fmt.Sprintf("r:%s:%d:%s", deskDeployment.Tenant, deskDeployment.ID, id)
	err := w.rdb.ZScore(w.Context(), w.partition()+"due", member).Err()
	if !errors.Is(err, redis.Nil) {
		must(w.T, err)
	}
	return err == nil
}

// isActive reports whether a run is that of its target, or of its schedule, and whether it waits for that of its schedule.
func (w *walk) isActive(r int, run *record.Run) (active, waits bool) {
	key, field := w.prefix()+fmt.Sprintf("report:%d:active", w.report), run.Target().Field()
	if schedule := run.ScheduleID; schedule != 0 {
		key, field = w.prefix()+fmt.Sprint("schedule:", schedule), "active"
		list, err := w.rdb.LRange(w.Context(), key+":waiting", 0, -1).Result()
		must(w.T, err)
		waits = slices.Contains(list, run.ID) && run.EndedAt == ""
	}
	id, err := w.rdb.HGet(w.Context(), key, field).Result()
	if !errors.Is(err, redis.Nil) {
		must(w.T, err)
	}
	return id == run.ID, waits
}

// entryOwner says which worker has an entry of the queue; empty: there is no such entry.
func (w *walk) entryOwner(id string) string {
	if id == "" {
		return ""
	}
	list, err := w.rdb.XRange(w.Context(), w.queueKey(), id, id).Result()
	must(w.T, err)
	if len(list) == 0 {
		return ""
	}
	owner := w.owner(id)
	switch {
	case owner == "":
		return "no worker"
	case slices.ContainsFunc(w.workers[:], func(k walker) bool { return k.name == owner }):
		return owner
	}
	return "dead"
}
