package storage_test

import (
	"fmt"
	"sync"
	"testing"

	"mooring/storage"
	"mooring/storage/keys"
)

// The version of a manifest grows with every change, never goes back, and is the same for all who have the same.
func TestManifestVersionGrows(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		var none storage.ManifestVersion
		count := func(hash string, template int64, known, want storage.ManifestVersion) {
			t.Helper()
			if got, err := s.CountManifest(t.Context(), hash, template, known); err != nil || got != want {
				t.Errorf("%s of template %d: %v, %v, want %v", hash, template, got, err, want)
			}
		}
		first, second, third, fourth := storage.ManifestVersion{1, 1}, storage.ManifestVersion{2, 2}, storage.ManifestVersion{2, 3}, storage.ManifestVersion{2, 4}
		count("a", 1, none, first)
		count("a", 1, none, first)
		count("a", 1, first, first)
		count("b", 2, none, second) // an upgrade
		count("a", 1, first, first) // a server that still runs
		count("b", 2, second, second)
		count("a", 1, none, third) // back to the version before, whose manifest Excel must take again
		count("b", 2, second, second)
		count("b", 2, none, fourth)
		count("b", 2, second, fourth)
		if err := s.Client().Del(t.Context(), keys.Manifest).Err(); err != nil {
			t.Fatal(err)
		}
		count("b", 2, fourth, fourth) // a storage that lost its data
	})
}

// Servers that begin at once agree.
func TestManifestVersionOfManyAtOnce(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		told := make([]string, 20)
		var wg sync.WaitGroup
		for i := range told {
			wg.Go(func() {
				got, err := s.CountManifest(t.Context(), "a", 1, storage.ManifestVersion{})
				told[i] = fmt.Sprint(got, err)
			})
		}
		wg.Wait()
		for _, got := range told {
			if got != "{1 1} <nil>" {
				t.Errorf("one was told %s", got)
			}
		}
	})
}
