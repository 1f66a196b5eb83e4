package storage_test

import (
	"testing"

	"mooring/storage"
	"mooring/storage/keys"
	"mooring/storage/record"
)

// A restore goes by who uses the storage: what cannot be read is no proof that a process has left.
func TestAProcessThatCannotBeReadHasNotLeft(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		leave, err := s.Queue().Agents.Announce(t.Context(), record.Process{ID: "a", Command: "serve"})
		must(t, err)
		defer leave()
		if list, err := s.Queue().Agents.Processes(t.Context()); err != nil || len(list) != 1 || list[0].ID != "a" {
			t.Errorf("processes: %v, %v", list, err)
		}
		must(t, s.Client().HSet(t.Context(), keys.Process("b"), "id", "b").Err())
		if list, err := s.Queue().Agents.Processes(t.Context()); err == nil {
			t.Errorf("processes: %v, want an error", list)
		}
		must(t, s.Client().Del(t.Context(), keys.Process("b")).Err())
	})
}
