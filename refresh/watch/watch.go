package watch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"mooring/placements"
	"mooring/refresh/fault"
	"mooring/refresh/probe"
	"mooring/refresh/source"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/work"
)

// digest is a short name of some texts.
func digest(texts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// Freshness is how a deployment's source is asked whether its data has changed, when, and what is refreshed then.
type Freshness struct {
	source.Probe
	probe.Timing
	Schedules []string // that run at a change, by their keys; none: every one that is not paused
}

// Watch is the target of a watcher, for one agent: a source, with the schedules that its changes run. Of all agents one at a time asks it.
type Watch struct {
	Freshness
	Of      record.Deployment
	Prober  source.Prober
	Agent   string // its name
	Queue   *work.Work
	Records *storage.Store
	Runs    Arriver
	Log     *slog.Logger
	Calls   *fault.Calls
	Limit   time.Duration // of one look

	looks  complaint // what is wrong with them
	listen complaint // what is wrong with listening
}

// Arriver makes a run of each of some schedules of a deployment, since their data has changed.
type Arriver interface {
	Arrive(ctx context.Context, d record.Deployment, a record.Arrival, list ...*record.Schedule) ([]record.Arrived, error)
}

// Watcher returns what watches s.
func (s *Watch) Watcher() *probe.Watcher {
	return &probe.Watcher{Target: s, Timing: s.Timing, Asked: s.Asked(), Listens: s.Freshness.Listen != ""}
}

// at names the probe.
func (s *Watch) at() queue.Probe { return queue.Probe{Deployment: s.Of, Name: s.name()} }

// Hold is probe.Target's.
func (s *Watch) Hold(ctx context.Context, lease time.Duration) (probe.Seen, bool, error) {
	seen, held, err := s.Queue.Queue.Probes.Hold(ctx, s.at(), s.Agent, lease)
	return probe.Seen(seen), held, err
}

// Keep is probe.Target's.
func (s *Watch) Keep(ctx context.Context, before probe.Seen, value string) (probe.Seen, error) {
	seen, err := s.Queue.Queue.Probes.Keep(ctx, s.at(), s.Agent, queue.Seen(before), value)
	if errors.Is(err, storage.ErrLockLost) {
		err = probe.ErrLost
	}
	return probe.Seen(seen), err
}

// Leave is probe.Target's.
func (s *Watch) Leave(ctx context.Context) {
	if err := s.Queue.Queue.Probes.Leave(ctx, s.at(), s.Agent); err != nil {
		s.Log.DebugContext(ctx, "probe not left, its lease runs out", "error", err)
	}
}

// Look asks the source. That a probe fails hinders no run: schedules have their ticks.
func (s *Watch) Look(ctx context.Context) (value string, ok bool) {
	asking, cancel := context.WithTimeout(ctx, s.Limit)
	defer cancel()
	err := guard(func() (err error) {
		value, err = fault.Call(asking, s.Calls, s.subject(), func() (string, error) { return s.Prober.Probe(asking, s.Query) })
		return err
	})
	if err != nil {
		s.complain(ctx, &s.looks, "probe of a source failed", s.unquoted(err))
		return "", false
	}
	s.looks.settle()
	return value, true
}

// subject is what the calls of the probe are about.
func (s *Watch) subject() fault.Callee {
	d := s.Of
	return fault.Callee{Tenant: d.Tenant, Within: fmt.Sprintf("the source of deployment %d", d.ID)}
}

// Listen is probe.Target's.
func (s *Watch) Listen(ctx context.Context, heard func()) {
	listener, ok := s.Prober.(source.Listener)
	if !ok {
		<-ctx.Done()
		return
	}
	err := guard(func() error {
		return listener.Listen(ctx, s.Freshness.Listen, func() {
			s.listen.settle()
			heard()
		})
	})
	s.complain(ctx, &s.listen, "source is not listened to", err)
}

// unquoted is err, or another error where a database refuses a query: its words may quote cells, which the log must not hold.
func (s *Watch) unquoted(err error) error {
	fault, ok := errors.AsType[*placements.Fault](err)
	if ok && s.Query != "" && fault.Class == placements.Structure && fault.Err != nil {
		return errors.New("the source refuses the query: mooring check says why")
	}
	return err
}

// complain logs what goes wrong with the probe, unless that was said lately.
func (s *Watch) complain(ctx context.Context, about *complaint, what string, err error) {
	if err == nil || ctx.Err() != nil || !about.new(err.Error(), time.Now()) {
		return
	}
	fault, _ := errors.AsType[*placements.Fault](err)
	if fault != nil && fault.Err != nil {
		err = fmt.Errorf("%w (%w)", err, fault.Err)
	}
	s.Log.WarnContext(ctx, what+": its schedules keep to their times", "tenant", s.Of.Tenant, "deployment", s.Of.ID,
		"error", err)
}

// The schedules that are told of a change in one step, and how long a change is known for one that was told.
const (
	toldTogether = 100
	toldMemory   = 24 * time.Hour
)

// Tell makes the runs of the probe's schedules.
func (s *Watch) Tell(ctx context.Context, before probe.Seen, value string) error {
	schedules, err := s.schedules(ctx)
	if err != nil {
		return err
	}
	d, runs := s.Of, 0
	for some := range slices.Chunk(schedules, toldTogether) {
		arrived, err := s.Runs.Arrive(ctx, d, s.arrival(before, value, some), some...)
		if err != nil {
			return err
		}
		for _, one := range arrived {
			if one.RunID != "" {
				runs++
				continue
			}
			s.Log.InfoContext(ctx, "no run for changed data", "tenant", d.Tenant, "deployment", d.ID, "schedule", one.ScheduleID, "why", one.Reason)
		}
	}
	s.Log.InfoContext(ctx, "data changed", "tenant", d.Tenant, "deployment", d.ID, "runs", runs)
	return nil
}

// arrival is word of a change of the value for some schedules. It has a name only where a later change has another value: a change that
// is told again may make a run too many, never one too few.
func (s *Watch) arrival(before probe.Seen, value string, schedules []*record.Schedule) record.Arrival {
	a := record.Arrival{Trigger: record.TriggerChange}
	if !s.Asked() {
		return a
	}
	ids := make([]string, len(schedules))
	for i, c := range schedules {
		ids[i] = fmt.Sprint(c.ID)
	}
	a.ID = fmt.Sprintf("probe:%s:%d:%s:%s", s.name(), before.Changes, digest(value), digest(ids...))
	a.Keep = toldMemory
	return a
}

// schedules are those that a change runs.
func (s *Watch) schedules(ctx context.Context) (list []*record.Schedule, err error) {
	d := s.Of
	if len(s.Freshness.Schedules) == 0 {
		return s.unpaused(ctx)
	}
	for _, key := range s.Freshness.Schedules {
		c, err := s.Records.Schedules().ByKey(ctx, d, key)
		switch {
		case errors.Is(err, storage.ErrNotFound):
			s.Log.WarnContext(ctx, "changed data has no schedule of that key", "tenant", d.Tenant, "deployment", d.ID, "key", key)
		case err != nil:
			return nil, err
		default:
			list = append(list, c)
		}
	}
	return list, nil
}

// unpaused are all schedules of the deployment that are not paused.
func (s *Watch) unpaused(ctx context.Context) (list []*record.Schedule, err error) {
	q := record.ListQuery{First: toldTogether, Schedules: record.ScheduleFilter{Paused: placements.Sent(false)}}
	for {
		page, err := s.Records.Schedules().List(ctx, s.Of, q, func(*record.Schedule) (bool, error) { return true, nil })
		if err != nil {
			return nil, err
		}
		list = append(list, page.Items...)
		if q.After = page.EndCursor; !page.HasNextPage {
			return list, nil
		}
	}
}

// guard turns a panic of a source into an error: one bad probe must not end the agent.
func guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return f()
}

// complaintEvery is how often the same complaint is repeated.
const complaintEvery = 10 * time.Minute

// complaint is what was said last about something that goes wrong. It is safe for concurrent use.
type complaint struct {
	mu   sync.Mutex
	text string
	at   time.Time
}

// new reports whether text is to be said now, and notes that it was.
func (c *complaint) new(text string, now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if text == c.text && now.Sub(c.at) < complaintEvery {
		return false
	}
	c.text, c.at = text, now
	return true
}

// settle notes that nothing goes wrong any more.
func (c *complaint) settle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.text = ""
}

// name identifies the probe to all agents: one that is changed is a new one.
func (f Freshness) name() string {
	return digest(append([]string{f.Query, f.Listen}, f.Schedules...)...)
}
