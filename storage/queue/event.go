package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"mooring/storage/record"
	"mooring/storage/redis"
)

// runEvent is the data of an event about run.
func runEvent(run *record.Run) (string, error) {
	return record.Encode(record.RunEvent{
		RunID: run.ID, ScheduleID: run.ScheduleID, State: string(run.State), Attempt: run.Attempt, FireTime: run.FireTime,
		ErrorClass: string(run.ErrorClass), Error: run.Error, NextAttemptAt: run.NextAttemptAt, RowsWritten: run.RowsWritten,
	})
}

// ErrGap says that the events after the one asked for are not all kept any more.
var ErrGap = errors.New("events since then are not kept any more")

// After lists up to most events that follow the one with id after, the oldest first. ErrGap comes with the oldest that are kept.
func (q *Events) After(ctx context.Context, d record.Deployment, after string, most int) ([]record.Event, error) {
	key := q.db.deployment(d).Events()
	list, err := q.db.rdb.XRangeN(ctx, key, "("+after, "+", int64(most)).Result()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	events, err := readEvents(list)
	if err != nil || len(events) == 0 {
		return events, err
	}
	gap, err := q.gap(ctx, key, after)
	if err == nil && gap {
		err = ErrGap
	}
	return events, err
}

// gap reports whether events after that id were dropped.
func (q *Events) gap(ctx context.Context, key, after string) (bool, error) {
	oldest, err := q.db.rdb.XRangeN(ctx, key, "-", "+", 1).Result()
	if err != nil || len(oldest) == 0 {
		return false, redis.Unavailable(err)
	}
	length, err := q.db.rdb.XLen(ctx, key).Result()
	return length >= keptAtLeast && earlier(after, oldest[0].ID), redis.Unavailable(err)
}

// keptAtLeast is the length from which on a stream may have dropped events.
const keptAtLeast = 10_000

// earlier compares two ids of a stream, "<ms>-<n>".
func earlier(a, b string) bool {
	am, an := splitEventID(a)
	bm, bn := splitEventID(b)
	return am < bm || am == bm && an < bn
}

func splitEventID(id string) (ms, n uint64) {
	_, _ = fmt.Sscanf(id, "%d-%d", &ms, &n)
	return ms, n
}

// Last is the id of the deployment's latest event; "0-0" when there is none.
func (q *Events) Last(ctx context.Context, d record.Deployment) (string, error) {
	list, err := q.db.rdb.XRevRangeN(ctx, q.db.deployment(d).Events(), "+", "-", 1).Result()
	if err != nil || len(list) == 0 {
		return "0-0", redis.Unavailable(err)
	}
	return list[0].ID, nil
}

// Await waits until the deployment has an event after that id, for at most wait.
func (q *Events) Await(ctx context.Context, d record.Deployment, after string, wait time.Duration) error {
	err := q.db.rdb.XRead(ctx, &redis.XReadArgs{Streams: []string{q.db.deployment(d).Events(), after}, Count: 1, Block: wait}).Err()
	if errors.Is(err, redis.Nil) {
		return nil
	}
	return redis.Unavailable(err)
}

func readEvents(list []redis.XMessage) ([]record.Event, error) {
	events := make([]record.Event, 0, len(list))
	for _, m := range list {
		kind, _ := m.Values["y"].(string)
		report, _ := m.Values["r"].(string)
		data, _ := m.Values["d"].(string)
		id, err := strconv.ParseInt(report, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("event %s: report %q", m.ID, report)
		}
		ms, _ := splitEventID(m.ID)
		events = append(events, record.Event{
			ID: m.ID, Type: record.EventType(kind), ReportID: id, Data: json.RawMessage(data),
			At: time.UnixMilli(int64(ms)).UTC().Format("2006-01-02T15:04:05.000Z07:00"),
		})
	}
	return events, nil
}

// webhookGroup is the consumer group of a subscription.
func webhookGroup(w record.Subscription) string { return "webhook:" + w.Name }

// Subscribe makes the subscription, from now on, if it is new.
func (q *Events) Subscribe(ctx context.Context, w record.Subscription) error {
	err := q.db.rdb.XGroupCreateMkStream(ctx, q.db.deployment(w.Deployment).Events(), webhookGroup(w), "$").Err()
	if err != nil && strings.HasPrefix(err.Error(), "BUSYGROUP") {
		return nil
	}
	return redis.Unavailable(err)
}

// New takes for agent up to most events that were not taken yet.
func (q *Events) New(ctx context.Context, w record.Subscription, agent string, most int) ([]record.Event, error) {
	list, err := q.db.rdb.XReadGroup(ctx, &redis.XReadGroupArgs{
		Group: webhookGroup(w), Consumer: agent, Streams: []string{q.db.deployment(w.Deployment).Events(), ">"}, Count: int64(most), Block: -1,
	}).Result()
	if errors.Is(err, redis.Nil) || err == nil && len(list) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	return readEvents(list[0].Messages)
}

// Overdue takes for agent up to most events that were taken and not confirmed for longer than patience allows, which depends on how
// often each was taken.
func (q *Events) Overdue(
	ctx context.Context, w record.Subscription, agent string, most int, patience func(taken int64) time.Duration,
) ([]record.Event, error) {
	key := q.db.deployment(w.Deployment).Events()
	pending, err := q.db.rdb.XPendingExt(ctx, &redis.XPendingExtArgs{
		Stream: key, Group: webhookGroup(w), Start: "-", End: "+", Count: int64(most),
	}).Result()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	var overdue []record.Event
	for _, p := range pending {
		wait := patience(p.RetryCount)
		if p.Idle < wait {
			continue
		}
		// The idle time is checked once more by XCLAIM: of two agents that saw it, one gets the event.
		list, err := q.db.rdb.XClaim(ctx, &redis.XClaimArgs{
			Stream: key, Group: webhookGroup(w), Consumer: agent, MinIdle: wait, Messages: []string{p.ID},
		}).Result()
		if err != nil {
			return overdue, redis.Unavailable(err)
		}
		events, err := readEvents(list)
		if err != nil {
			return overdue, err
		}
		overdue = append(overdue, events...)
	}
	return overdue, nil
}

// Confirm takes an event off the subscription.
func (q *Events) Confirm(ctx context.Context, w record.Subscription, eventID string) error {
	return redis.Unavailable(q.db.rdb.XAck(ctx, q.db.deployment(w.Deployment).Events(), webhookGroup(w), eventID).Err())
}
