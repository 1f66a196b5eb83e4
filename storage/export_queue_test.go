package storage

import (
	"context"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"mooring/storage/layout"
	"mooring/storage/queue"
	"mooring/storage/record"
)

// ForgetRun removes the record of a run, as when it runs out.
func (s *Store) ForgetRun(t *testing.T, d record.Deployment, id string) {
	t.Helper()
	s.drop(t, s.db.Deployment(d).Runs().Record(id))
}

// ForgetScripts makes the server forget every script, as a restart does.
func (s *Store) ForgetScripts(t *testing.T) {
	t.Helper()
	if err := s.db.Redis.ScriptFlush(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
}

// agents is the consumer group of a queue.
const agents = "agents"

// Age makes an entry look as if its agent had been silent for idle.
func (s *Store) Age(t *testing.T, e queue.Entry, idle time.Duration) {
	t.Helper()
	k := s.db.Deployment(e.Deployment)
	for _, stream := range []string{k.Queue(), k.Crowd()} {
		list, err := s.db.Redis.XRange(t.Context(), stream, "-", "+").Result()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range list {
			if m.Values["r"] != e.RunID {
				continue
			}
			err := s.db.Redis.Do(t.Context(), "XCLAIM", stream, agents, "silent", 0, m.ID, "IDLE", idle.Milliseconds(), "JUSTID").Err()
			if err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("run %s has no entry", e.RunID)
}

// Consumers names the agents that a tenant's queue knows.
func (s *Store) Consumers(t *testing.T, d record.Deployment) []string {
	t.Helper()
	list, err := s.db.Redis.XInfoConsumers(t.Context(), s.db.Deployment(d).Queue(), agents).Result()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range list {
		names = append(names, c.Name)
	}
	return names
}

// BreakSchedule makes a schedule unreadable, but for its report.
func (s *Store) BreakSchedule(t *testing.T, d record.Deployment, id int64) {
	t.Helper()
	if err := s.db.Redis.HSet(t.Context(), s.db.Deployment(d).Schedule(id), layout.FieldOwner, "{").Err(); err != nil {
		t.Fatal(err)
	}
}

// MakeDue puts a schedule into the due set, whether it exists or not.
func (s *Store) MakeDue(t *testing.T, d record.Deployment, id int64) {
	t.Helper()
	k := s.db.Deployment(d)
	if err := s.db.Redis.ZAdd(t.Context(), k.Due(), redis.Z{Score: 1, Member: k.DueSchedule(id)}).Err(); err != nil {
		t.Fatal(err)
	}
}

// GiveIDs gives ids to the placements of a target that have none, as an attempt that loads its report does.
func (s *Store) GiveIDs(ctx context.Context, d record.Deployment, t record.RunTarget) (*layout.Report, error) {
	return s.work.GiveIDs(ctx, s.db.Deployment(d), t)
}

// LapseHold makes the lease of a held run end.
func (s *Store) LapseHold(t *testing.T, d record.Deployment, run string) {
	t.Helper()
	k := s.db.Deployment(d)
	if err := s.db.Redis.ZAddXX(t.Context(), k.Due(), redis.Z{Score: 1, Member: k.Runs().DueRun(run)}).Err(); err != nil {
		t.Fatal(err)
	}
}
