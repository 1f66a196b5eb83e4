package refresh

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"mooring/placements"
	"mooring/refresh/probe"
	"mooring/refresh/source"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
)

// digest is a short name of some texts.
func digest(texts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// watchers are those of every probe in the configuration. Of all agents one at a time asks a probe.
func (a *agent) watchers() []*probe.Watcher {
	var list []*probe.Watcher
	for tenant, t := range a.tenants {
		for id, d := range t.Deployments {
			prober, ok := d.Source.(source.Prober)
			if !ok {
				continue
			}
			at := record.Deployment{Tenant: tenant, ID: id}
			for _, f := range d.Freshness {
				target := &probed{agent: a, Freshness: f, at: queue.Probe{Deployment: at, Name: f.name()}, source: prober}
				list = append(list, &probe.Watcher{Target: target, Timing: f.Timing, Asked: f.Asked(), Listens: f.Listen != ""})
			}
		}
	}
	return list
}

// probed is the target of a watcher: a source, with the schedules that its changes run.
type probed struct {
	*agent
	Freshness
	at     queue.Probe
	source source.Prober
	looks  complaint // what is wrong with them
	listen complaint // what is wrong with listening
}

func (p *probed) Hold(ctx context.Context, lease time.Duration) (probe.Seen, bool, error) {
	seen, held, err := p.queue.Queue.Probes.Hold(ctx, p.at, p.agent.name, lease)
	return probe.Seen(seen), held, err
}

func (p *probed) Keep(ctx context.Context, before probe.Seen, value string) (probe.Seen, error) {
	seen, err := p.queue.Queue.Probes.Keep(ctx, p.at, p.agent.name, queue.Seen(before), value)
	if errors.Is(err, storage.ErrLockLost) {
		err = probe.ErrLost
	}
	return probe.Seen(seen), err
}

func (p *probed) Leave(ctx context.Context) {
	if err := p.queue.Queue.Probes.Leave(ctx, p.at, p.agent.name); err != nil {
		p.log.DebugContext(ctx, "probe not left, its lease runs out", "error", err)
	}
}

// Look asks the source. That a probe fails hinders no run: schedules have their ticks.
func (p *probed) Look(ctx context.Context) (value string, ok bool) {
	asking, cancel := context.WithTimeout(ctx, p.runLimit)
	defer cancel()
	err := guard(func() (err error) {
		value, err = call(asking, &p.calls, p.subject(), func() (string, error) { return p.source.Probe(asking, p.Query) })
		return err
	})
	if err != nil {
		p.complain(ctx, &p.looks, "probe of a source failed", p.unquoted(err))
		return "", false
	}
	p.looks.settle()
	return value, true
}

// subject is what the calls of the probe are about.
func (p *probed) subject() subject {
	d := p.at.Deployment
	return subject{tenant: d.Tenant, within: fmt.Sprintf("the source of deployment %d", d.ID)}
}

func (p *probed) Listen(ctx context.Context, heard func()) {
	listener, ok := p.source.(source.Listener)
	if !ok {
		<-ctx.Done()
		return
	}
	err := guard(func() error {
		return listener.Listen(ctx, p.Freshness.Listen, func() {
			p.listen.settle()
			heard()
		})
	})
	p.complain(ctx, &p.listen, "source is not listened to", err)
}

// unquoted is err, or another error where a database refuses a query: its words may quote cells, which the log must not hold.
func (p *probed) unquoted(err error) error {
	fault, ok := errors.AsType[*placements.Fault](err)
	if ok && p.Query != "" && fault.Class == placements.Structure && fault.Err != nil {
		return errors.New("the source refuses the query: mooring check says why")
	}
	return err
}

// complain logs what goes wrong with the probe, unless that was said lately.
func (p *probed) complain(ctx context.Context, about *complaint, what string, err error) {
	if err == nil || ctx.Err() != nil || !about.new(err.Error(), time.Now()) {
		return
	}
	fault, _ := errors.AsType[*placements.Fault](err)
	if fault != nil && fault.Err != nil {
		err = fmt.Errorf("%w (%w)", err, fault.Err)
	}
	p.log.WarnContext(ctx, what+": its schedules keep to their times", "tenant", p.at.Deployment.Tenant, "deployment", p.at.Deployment.ID,
		"error", err)
}

// The schedules that are told of a change in one step, and how long a change is known for one that was told.
const (
	toldTogether = 100
	toldMemory   = 24 * time.Hour
)

// Tell makes the runs of the probe's schedules.
func (p *probed) Tell(ctx context.Context, before probe.Seen, value string) error {
	schedules, err := p.schedules(ctx)
	if err != nil {
		return err
	}
	d, runs := p.at.Deployment, 0
	for some := range slices.Chunk(schedules, toldTogether) {
		arrived, err := p.Arrive(ctx, d, p.arrival(before, value, some), some...)
		if err != nil {
			return err
		}
		for _, one := range arrived {
			if one.RunID != "" {
				runs++
				continue
			}
			p.log.InfoContext(ctx, "no run for changed data", "tenant", d.Tenant, "deployment", d.ID, "schedule", one.ScheduleID, "why", one.Reason)
		}
	}
	p.log.InfoContext(ctx, "data changed", "tenant", d.Tenant, "deployment", d.ID, "runs", runs)
	return nil
}

// arrival is word of a change of the value for some schedules. It has a name only where a later change has another value: a change that
// is told again may make a run too many, never one too few.
func (p *probed) arrival(before probe.Seen, value string, schedules []*record.Schedule) record.Arrival {
	a := record.Arrival{Trigger: record.TriggerChange}
	if !p.Asked() {
		return a
	}
	ids := make([]string, len(schedules))
	for i, c := range schedules {
		ids[i] = fmt.Sprint(c.ID)
	}
	a.ID = fmt.Sprintf("probe:%s:%d:%s:%s", p.at.Name, before.Changes, digest(value), digest(ids...))
	a.Keep = toldMemory
	return a
}

// schedules are those that a change runs.
func (p *probed) schedules(ctx context.Context) (list []*record.Schedule, err error) {
	d := p.at.Deployment
	if len(p.Freshness.Schedules) == 0 {
		return p.unpaused(ctx, d)
	}
	for _, key := range p.Freshness.Schedules {
		c, err := p.records.Schedules().ByKey(ctx, d, key)
		switch {
		case errors.Is(err, storage.ErrNotFound):
			p.log.WarnContext(ctx, "changed data has no schedule of that key", "tenant", d.Tenant, "deployment", d.ID, "key", key)
		case err != nil:
			return nil, err
		default:
			list = append(list, c)
		}
	}
	return list, nil
}

// unpaused are all schedules of a deployment that are not paused.
func (e *Engine) unpaused(ctx context.Context, d record.Deployment) (list []*record.Schedule, err error) {
	q := record.ListQuery{First: toldTogether, Schedules: record.ScheduleFilter{Paused: placements.Sent(false)}}
	for {
		page, err := e.records.Schedules().List(ctx, d, q, func(*record.Schedule) (bool, error) { return true, nil })
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
