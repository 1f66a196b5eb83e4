package storage

import (
	"context"
	"errors"
	"strings"
	"time"

	"mooring/storage/record"
	"mooring/storage/redis"
)

// webhookGroup is the consumer group of a subscription.
func webhookGroup(w record.Subscription) string { return "webhook:" + w.Name }

// Subscribe makes the subscription, from now on, if it is new.
func (q *Queue) Subscribe(ctx context.Context, w record.Subscription) error {
	err := q.rdb.XGroupCreateMkStream(ctx, q.deployment(w.Deployment).events(), webhookGroup(w), "$").Err()
	if err != nil && strings.HasPrefix(err.Error(), "BUSYGROUP") {
		return nil
	}
	return redis.Unavailable(err)
}

// NewEvents gives agent up to most events that were not taken yet.
func (q *Queue) NewEvents(ctx context.Context, w record.Subscription, agent string, most int) ([]record.Event, error) {
	list, err := q.rdb.XReadGroup(ctx, &redis.XReadGroupArgs{
		Group: webhookGroup(w), Consumer: agent, Streams: []string{q.deployment(w.Deployment).events(), ">"}, Count: int64(most), Block: -1,
	}).Result()
	if errors.Is(err, redis.Nil) || err == nil && len(list) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	return readEvents(list[0].Messages)
}

// OverdueEvents gives agent up to most events that were taken and not confirmed for longer than patience allows, which is told how
// often each was taken.
func (q *Queue) OverdueEvents(ctx context.Context, w record.Subscription, agent string, most int, patience func(taken int64) time.Duration) ([]record.Event, error) {
	key := q.deployment(w.Deployment).events()
	pending, err := q.rdb.XPendingExt(ctx, &redis.XPendingExtArgs{
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
		// The idle time is checked once more by the claim: of two agents that saw it, one gets the event.
		list, err := q.rdb.XClaim(ctx, &redis.XClaimArgs{Stream: key, Group: webhookGroup(w), Consumer: agent, MinIdle: wait, Messages: []string{p.ID}}).Result()
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
func (q *Queue) Confirm(ctx context.Context, w record.Subscription, eventID string) error {
	return redis.Unavailable(q.rdb.XAck(ctx, q.deployment(w.Deployment).events(), webhookGroup(w), eventID).Err())
}
