package storage_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mooring/storage"
)

// openEmbedded opens a storage in this process whose log is at hand.
func openEmbedded(t *testing.T, dir string) (s *storage.Store, log *bytes.Buffer) {
	t.Helper()
	log = new(bytes.Buffer)
	s, err := storage.Open(t.Context(), storage.Config{DataDir: dir, Log: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	return s, log
}

func closeStore(t *testing.T, s *storage.Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestEmbeddedSaysLoudlyThatItKeepsNothing(t *testing.T) {
	s, log := openEmbedded(t, "")
	closeStore(t, s)
	if !strings.Contains(log.String(), "level=WARN") || !strings.Contains(log.String(), "NOTHING IS KEPT") {
		t.Errorf("log: %s", log)
	}
	s, log = openEmbedded(t, t.TempDir())
	closeStore(t, s)
	if strings.Contains(log.String(), "WARN") {
		t.Errorf("with a data directory it warns: %s", log)
	}
}

func TestEmbeddedLetsKeysExpireByWallTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := openEmbedded(t, "")
		defer closeStore(t, s)
		if err := s.Client().Set(t.Context(), "mooring:lock", "token", 5*time.Second).Err(); err != nil {
			t.Fatal(err)
		}
		exists := func() bool { return s.Client().Exists(t.Context(), "mooring:lock").Val() == 1 }
		time.Sleep(3 * time.Second)
		if !exists() {
			t.Error("gone before its time")
		}
		time.Sleep(4 * time.Second)
		if exists() {
			t.Error("still there after its time")
		}
	})
}

func TestEmbeddedSavesNowAndThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		s, _ := openEmbedded(t, dir)
		defer closeStore(t, s)
		r := create(t, s, shop, named("Sales", ""))
		time.Sleep(30 * time.Second)

		crashed, _ := openEmbedded(t, copyOf(t, dir)) // what the next process would find
		defer closeStore(t, crashed)
		wantSame(t, load(t, s, shop, r.ID), load(t, crashed, shop, r.ID))
	})
}

func TestManyCommandsAtOnceDoNotBlockTheEmbeddedServer(t *testing.T) {
	s, _ := openEmbedded(t, "")
	defer closeStore(t, s)
	p := s.Client().Pipeline()
	for range 2_000 {
		p.Echo(t.Context(), strings.Repeat("x", 1_000))
	}
	if _, err := p.Exec(t.Context()); err != nil {
		t.Error(err)
	}
}

// A crash leaves the lock file and no lock.
func TestADataFolderIsOneProcesssAtATime(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mooring.lock"), []byte("4194305\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	first, _ := openEmbedded(t, dir)
	_, err := storage.Open(t.Context(), storage.Config{DataDir: dir, Log: slog.New(slog.DiscardHandler)})
	if err == nil {
		t.Fatal("a second store opened the folder")
	}
	for _, part := range []string{dir, fmt.Sprintf("process %d:", os.Getpid()), "--data"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not name %s", err, part)
		}
	}
	closeStore(t, first)
	second, _ := openEmbedded(t, dir)
	closeStore(t, second)
}
