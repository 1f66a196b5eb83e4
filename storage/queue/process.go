package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// How often a process tells that it is there, and when it is taken for gone.
const (
	processEvery   = 2 * time.Second
	processSilence = 10 * time.Second
	goodbye        = 2 * time.Second // how long it tries to tell that it ends
)

// Announce tells that a process uses the storage, from now until withdraw is called.
func (q *Agents) Announce(ctx context.Context, p record.Process) (withdraw func(), err error) {
	if err := q.tell(ctx, p); err != nil {
		return nil, err
	}
	lasting, end := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(processEvery)
		defer ticker.Stop()
		for {
			select {
			case <-lasting.Done():
				return
			case <-ticker.C:
				if err := q.tell(lasting, p); err != nil {
					q.db.log.DebugContext(lasting, "presence not told", "error", err)
				}
			}
		}
	}()
	return func() {
		end()
		<-ended
		ctx, cancel := context.WithTimeout(context.Background(), goodbye)
		defer cancel()
		if err := q.db.rdb.Del(ctx, keys.Process(p.ID)).Err(); err != nil {
			q.db.log.DebugContext(ctx, "leave not told", "error", err)
		}
	}, nil
}

func (q *Agents) tell(ctx context.Context, p record.Process) error {
	about, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("process %s: %w", p.ID, err)
	}
	return redis.Unavailable(q.db.rdb.Set(ctx, keys.Process(p.ID), about, processSilence).Err())
}

// Processes returns who uses the storage: the processes that were announced, and agents of versions that were not.
func (q *Agents) Processes(ctx context.Context) (list []record.Process, err error) {
	err = redis.EachKeyBeside(ctx, q.db.rdb, keys.Process(""), keys.Process("*"), func(names []string) error {
		for _, name := range names {
			about, err := q.db.rdb.Get(ctx, name).Bytes()
			if errors.Is(err, redis.Nil) {
				continue // it has left, or fell silent
			}
			if err != nil {
				return redis.Unavailable(err)
			}
			var p record.Process
			if err := json.Unmarshal(about, &p); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			list = append(list, p)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	agents, err := q.List(ctx)
	for _, a := range agents {
		known := false
		for _, p := range list {
			known = known || p.Host == a.Host && p.Version == a.Version
		}
		if a.State != record.AgentGone && !known {
			list = append(list, record.Process{ID: a.ID, Command: "agent", Host: a.Host, Version: a.Version, StartedAt: a.StartedAt})
		}
	}
	return list, err
}
