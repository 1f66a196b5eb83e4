package refresh

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"mooring/refresh/fault"
	"mooring/storage"
	"mooring/storage/queue"
)

// How it is known that an attempt lives. A process that stands still for 4 s keeps its runs; those of one that dies go to another within 5 s.
const (
	renewEvery  = 200 * time.Millisecond  // how often a process says that its attempts live; also how soon a stop is noticed
	orphanAfter = 4600 * time.Millisecond // how long an attempt may be silent
	giveUpAfter = 8 * time.Second         // how long one goes on of which nothing could be said: another may have begun long since
	endingFor   = 2 * fault.CallGrace     // how long one may take to end when it is ended from outside
)

// keeper says that the attempts of this process live, and the entries by which it is to begin some: of all together, apart from their work, which
// may be busy. It is safe for concurrent use.
type keeper struct {
	queue *queue.Queue
	mu    sync.Mutex
	lives []*life
	stop  func() // ends what says so, and waits for it
}

// life is an attempt that lives, or is to begin.
type life struct {
	ctx   context.Context // of its work
	end   context.CancelCauseFunc
	pulse queue.Pulse
	said  time.Time // when it was last said
	ended time.Time // when its work was first seen to have ended
}

// keep says that an attempt lives until it leaves. It ends the work, of ctx, when the run is to stop or another attempt has begun, and when
// nothing could be said for so long that one may have.
func (k *keeper) keep(ctx context.Context, p queue.Pulse, end context.CancelCauseFunc) (leave func()) {
	l := &life{ctx: ctx, end: end, pulse: p, said: time.Now()}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.lives = append(k.lives, l); len(k.lives) == 1 {
		k.start(context.WithoutCancel(ctx))
	}
	return func() { k.leave(l) }
}

// start says every renewEvery which attempts live, until stop is called.
func (k *keeper) start(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	k.stop = func() {
		cancel()
		<-done
	}
	go func() {
		defer close(done)
		ticker := time.NewTicker(renewEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				k.renew(ctx)
			case <-ctx.Done():
				return
			}
		}
	}()
}

func (k *keeper) leave(l *life) {
	k.mu.Lock()
	i := slices.Index(k.lives, l)
	k.lives = slices.Delete(k.lives, i, i+1)
	idle, stop := len(k.lives) == 0, k.stop
	k.mu.Unlock()
	if idle {
		stop()
	}
}

// renew says once which attempts live.
func (k *keeper) renew(ctx context.Context) {
	asked := time.Now()
	lives := k.living(asked)
	list := make([]queue.Pulse, len(lives))
	for i, l := range lives {
		list[i] = l.pulse
	}
	for i, r := range k.queue.Renew(ctx, list...) {
		lives[i].renewed(r, asked)
	}
}

// living are the attempts that still work, or have not had long to end.
func (k *keeper) living(now time.Time) (list []*life) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, l := range k.lives {
		if l.ctx.Err() != nil && l.ended.IsZero() {
			l.ended = now
		}
		if l.ended.IsZero() || now.Sub(l.ended) < endingFor {
			list = append(list, l)
		}
	}
	return list
}

// renewed notes what became of saying so.
func (l *life) renewed(r queue.Renewal, asked time.Time) {
	switch {
	case errors.Is(r.Err, storage.ErrLockLost):
		l.end(r.Err)
	case r.Stop:
		l.said = asked
		l.end(errStopped)
	case r.Err == nil:
		l.said = asked
	case time.Since(l.said) > giveUpAfter:
		l.end(storage.ErrLockLost)
	}
}
