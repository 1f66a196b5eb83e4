package backup_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mooring/storage/backup"
)

// told is a Handler that keeps what it is told.
type told struct{ all []any }

func (t *told) Tenant(name string) error   { t.all = append(t.all, "tenant "+name); return nil }
func (t *told) Drop(key string) error      { t.all = append(t.all, "drop "+key); return nil }
func (t *told) Tail(c backup.Counts) error { t.all = append(t.all, c); return nil }
func (t *told) Piece(p backup.Piece) error { t.all = append(t.all, p); return nil }

// write writes what a Handler was told.
func write(t testing.TB, all []any) []byte {
	t.Helper()
	var file bytes.Buffer
	w, err := backup.NewWriter(&file, backup.Header{Layout: 3, Version: "v1", Partitions: 16})
	for _, one := range all {
		if err != nil {
			break
		}
		switch one := one.(type) {
		case backup.Piece:
			err = w.Piece(one)
		case backup.Counts:
			err = w.Tail(one)
		case string:
			if name, is := strings.CutPrefix(one, "tenant "); is {
				err = w.Tenant(name)
			} else {
				err = w.Drop(strings.TrimPrefix(one, "drop "))
			}
		}
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func check(file []byte) error {
	_, err := backup.Check(bytes.NewReader(file), int64(len(file)))
	return err
}

func TestWhatIsReadIsWhatWasWritten(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "\x00\xff", strings.Repeat("long", 50_000)}))
	rapid.Check(t, func(r *rapid.T) {
		var all []any
		for range rapid.IntRange(0, 3).Draw(r, "tenants") {
			all = append(all, "tenant "+text.Draw(r, "name"))
			for range rapid.IntRange(0, 4).Draw(r, "pieces") {
				all = append(all, backup.Piece{
					Key: text.Draw(r, "key"), Kind: rapid.SampledFrom([]backup.Kind{backup.String, backup.Hash, backup.Stream}).Draw(r, "kind"),
					First: rapid.Bool().Draw(r, "first"), Expires: rapid.Int64().Draw(r, "expires"),
					Items: rapid.SliceOfN(text, 0, 4).Draw(r, "items"),
				}, "drop "+text.Draw(r, "dropped"))
			}
			all = append(all, backup.Counts{Reports: rapid.Int64().Draw(r, "reports"), Runs: 7})
		}
		file, got := write(t, all), new(told)
		if err := check(file); err != nil {
			r.Fatal(err)
		}
		if _, err := backup.Read(bytes.NewReader(file), int64(len(file)), got); err != nil {
			r.Fatal(err)
		}
		empty := cmp.Transformer("items", func(p backup.Piece) []any {
			return []any{p.Key, p.Kind, p.First, p.Expires, strings.Join(p.Items, "\x01"), len(p.Items)}
		})
		if diff := cmp.Diff(all, got.all, empty); diff != "" {
			r.Error(diff)
		}
	})
}

// Every byte counts: those of the header, of the compressed records, of their end and of the digest.
func TestAFileWithAnotherByteIsRefused(t *testing.T) {
	file := write(t, []any{
		"tenant acme",
		backup.Piece{Key: "k", Kind: backup.Hash, First: true, Items: []string{"f", strings.Repeat("value ", 100)}},
		"drop other",
		backup.Counts{Reports: 1},
		"tenant other",
		backup.Counts{},
	})
	for i := range file {
		for _, flip := range []byte{1, 0x80} {
			changed := bytes.Clone(file)
			changed[i] ^= flip
			if err := check(changed); !errors.Is(err, backup.ErrRefused) {
				t.Errorf("byte %d of %d: %v", i, len(file), err)
			}
		}
		if err := check(file[:i]); !errors.Is(err, backup.ErrRefused) {
			t.Errorf("cut at %d of %d: %v", i, len(file), err)
		}
	}
	if err := check(append(bytes.Clone(file), '\n')); !errors.Is(err, backup.ErrRefused) {
		t.Errorf("with a byte more: %v", err)
	}
}

func TestWhatIsNoBackupSaysSo(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "too short",
		strings.Repeat("x", 9000): "no backup of Mooring",
		`{"file":"mooring backup","format":2,"version":"v9"}` + "\n" + strings.Repeat("x", 99): "written by version v9 in format 2",
	} {
		if err := check([]byte(text)); !errors.Is(err, backup.ErrRefused) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, want %s", text, err, want)
		}
	}
}

type failing struct{ told }

func (*failing) Piece(backup.Piece) error { return io.ErrClosedPipe }

func TestAnErrorOfTheHandlerIsReturned(t *testing.T) {
	file := write(t, []any{"tenant a", backup.Piece{Kind: backup.Hash}, backup.Counts{}})
	if _, err := backup.Read(bytes.NewReader(file), int64(len(file)), new(failing)); !errors.Is(err, io.ErrClosedPipe) || errors.Is(err, backup.ErrRefused) {
		t.Error(err)
	}
}
