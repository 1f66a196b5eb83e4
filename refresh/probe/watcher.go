package probe

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Seen is what is kept of a probe, for all watchers.
type Seen struct {
	Value   string // the last one that was told
	Changes int64  // how many values were kept; 0: none yet
}

// Target is one probe: its source, what is kept of it and what is done with its changes.
type Target interface {
	// Hold makes the caller the only one that watches for as long as lease, and prolongs that; held is false while another does.
	Hold(ctx context.Context, lease time.Duration) (kept Seen, held bool, err error)
	// Keep keeps a value after another. ErrLost: another watcher holds the probe.
	Keep(ctx context.Context, before Seen, value string) (Seen, error)
	// Leave ends what Hold began.
	Leave(ctx context.Context)
	// Look asks the source for its value. What goes wrong is the target's to say; it returns false then.
	Look(ctx context.Context) (value string, ok bool)
	// Listen calls heard whenever the source announces something, and when it begins to listen, until ctx ends or it fails, of which it
	// says why.
	Listen(ctx context.Context, heard func())
	// Tell makes what a change of the value calls for. The same change, by what was kept before and its value, may be told again.
	Tell(ctx context.Context, before Seen, value string) error
}

// Watcher watches one probe.
type Watcher struct {
	Target  Target
	Timing  Timing
	Asked   bool // Look has a value
	Listens bool // Listen has something to hear
}

// A watcher that dies is noticed within leaseFor and tryEvery.
const (
	leaseFor   = 8 * time.Second
	renewEvery = 2 * time.Second
	tryEvery   = 2 * time.Second
	leaveLimit = 2 * time.Second
	// A listener that failed begins again after listenAgain, then less and less often.
	listenAgain     = time.Second
	listenAgainMost = time.Minute
)

// ErrLost says that what a watcher held is another one's now.
var ErrLost = errors.New("another watcher holds the probe")

// Round watches as long as this watcher holds the probe; while another one does it waits a little. It returns ctx's error, or that of the
// store behind the target.
func (w *Watcher) Round(ctx context.Context) error {
	begun := time.Now()
	kept, held, err := w.Target.Hold(ctx, leaseFor)
	if err != nil {
		return err
	}
	if !held {
		return sleep(ctx, tryEvery)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveLimit)
		defer cancel()
		w.Target.Leave(ctx)
	}()
	holding, lose := context.WithCancelCause(ctx)
	var others sync.WaitGroup
	defer others.Wait()
	defer lose(nil)
	others.Go(func() { w.renew(holding, begun, lose) })
	heard := make(chan struct{}, 1)
	if w.Listens {
		others.Go(func() { w.listen(holding, heard) })
	}
	if err = w.watch(holding, kept, heard); holding.Err() != nil {
		err = context.Cause(holding)
	}
	if errors.Is(err, ErrLost) {
		return nil
	}
	return err
}

// renew prolongs the lease until ctx ends, and loses it when it may have run out.
func (w *Watcher) renew(ctx context.Context, renewed time.Time, lose context.CancelCauseFunc) {
	for sleep(ctx, renewEvery) == nil {
		asked := time.Now()
		limited, cancel := context.WithTimeout(ctx, renewEvery)
		_, held, err := w.Target.Hold(limited, leaseFor)
		cancel()
		switch {
		case err == nil && held:
			renewed = asked
		case err == nil:
			lose(ErrLost)
			return
		case time.Since(renewed) > leaseFor-2*renewEvery:
			lose(err)
			return
		}
	}
}

// listen listens until ctx ends.
func (w *Watcher) listen(ctx context.Context, heard chan<- struct{}) {
	pause := listenAgain
	for ctx.Err() == nil {
		w.Target.Listen(ctx, func() {
			pause = listenAgain
			select {
			case heard <- struct{}{}:
			default: // one that was not looked at yet stands for this one, too
			}
		})
		_ = sleep(ctx, pause)
		pause = min(2*pause, listenAgainMost)
	}
}

// watch looks and tells until ctx ends, or the store behind the target fails.
func (w *Watcher) watch(ctx context.Context, kept Seen, heard <-chan struct{}) error {
	state := begin(w.Timing, w.Asked, kept, time.Now())
	for {
		what, at := state.next()
		announced, err := await(ctx, what, at, heard)
		if err != nil {
			return err
		}
		first := false
		switch {
		case announced:
			state, first = state.announced(time.Now())
		case what == look:
			if value, ok := w.Target.Look(ctx); ok {
				state, first = state.looked(value, time.Now())
			} else {
				state = state.failed(time.Now())
			}
		default:
			if err = w.Target.Tell(ctx, kept, state.value); err != nil {
				return err
			}
			state, first = state.told(), true
		}
		if first {
			if kept, err = w.Target.Keep(ctx, kept, state.value); err != nil {
				return err
			}
		}
	}
}

// await waits until something is announced, or until at unless there is nothing to do.
func await(ctx context.Context, what act, at time.Time, heard <-chan struct{}) (announced bool, err error) {
	var due <-chan time.Time
	if what != rest {
		timer := time.NewTimer(time.Until(at))
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-ctx.Done():
		return false, ctx.Err()
	case <-heard:
		return true, nil
	case <-due:
		return false, nil
	}
}

// sleep waits for d or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	_, err := await(ctx, look, time.Now().Add(d), nil)
	return err
}
