package storage_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/storage"
)

// wantOnly checks that no key exists but those that end like one of these.
func wantOnly(t *testing.T, s *storage.Store, endings ...string) {
	t.Helper()
	keys, err := s.Client().Keys(t.Context(), "*").Result()
	if err != nil {
		t.Fatal(err)
	}
next:
	for _, key := range keys {
		for _, ending := range endings {
			if strings.HasSuffix(key, ending) {
				continue next
			}
		}
		t.Errorf("key %s is left over", key)
	}
}

func everyReport(*storage.Report) bool { return true }

// wantSameDump checks that two states of the storage differ in nothing but locks and counters.
func wantSameDump(t *testing.T, before, after map[string]map[string]string) {
	t.Helper()
	if diff := cmp.Diff(lasting(before), lasting(after)); diff != "" {
		t.Errorf("something was written:\n%s", diff)
	}
}

// lasting leaves out locks and counters.
func lasting(dump map[string]map[string]string) map[string]map[string]string {
	kept := map[string]map[string]string{}
	for key, content := range dump {
		if !strings.Contains(key, ":lock:") && !strings.HasSuffix(key, ":ids") {
			kept[key] = content
		}
	}
	return kept
}

// wantSameClaims checks that the index of publicIds and the reports agree.
func wantSameClaims(t *testing.T, claims, stored map[string]int64) {
	t.Helper()
	if diff := cmp.Diff(claims, stored); diff != "" {
		t.Errorf("claims (-) and the publicIds that reports store (+):\n%s", diff)
	}
}
