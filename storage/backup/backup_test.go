package backup_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
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

// packed is a file of one tenant with one record more, of which fill writes what comes after its length.
func packed(t *testing.T, length uint64, fill func(w io.Writer)) []byte {
	t.Helper()
	whole := write(t, nil)
	header := whole[:bytes.Index(whole, []byte{0x1f, 0x8b})]
	file := bytes.NewBuffer(bytes.Clone(header))
	body := gzip.NewWriter(file)
	_, _ = body.Write([]byte{3, 'T', 1, 'a'}) // into memory, which cannot fail
	_, _ = body.Write(binary.AppendUvarint(nil, length))
	fill(body)
	_ = body.Close()
	return fmt.Appendf(file.Bytes(), "%x\n", sha256.Sum256(file.Bytes()))
}

// A small file does not take much memory, whatever its records say of themselves.
func TestARecordTakesNoMoreMemoryThanItsTexts(t *testing.T) {
	zeros := func(n int) func(io.Writer) {
		return func(w io.Writer) {
			_, _ = w.Write([]byte{'K'})
			for chunk := make([]byte, 1<<20); n > 0; n -= len(chunk) {
				_, _ = w.Write(chunk)
			}
		}
	}
	const most = 64 << 20
	for name, tt := range map[string]struct {
		file []byte
		says string
	}{
		"of empty texts":        {packed(t, 128<<20+1, zeros(128<<20)), "a record has more than 262144 texts"},
		"longer than the file":  {packed(t, 1<<30, zeros(1<<20)), "a record has more than 262144 texts"},
		"with nothing in it":    {packed(t, 1<<30, func(io.Writer) {}), "it is damaged"},
		"longer than any":       {packed(t, 1<<30+1, zeros(1<<20)), "a record is damaged"},
		"a text that is longer": {packed(t, 9, func(w io.Writer) { _, _ = w.Write([]byte("K\xff\xff\xff\xff\x0fabc")) }), "a record is damaged"},
		"a long text cut off": {packed(t, 1<<30, func(w io.Writer) {
			_, _ = w.Write(append([]byte{'K'}, binary.AppendUvarint(nil, 1<<30-10)...))
			zeros(1 << 20)(w)
		}), "it is damaged"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := check(tt.file)
		runtime.ReadMemStats(&after)
		if !errors.Is(err, backup.ErrRefused) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("a record %s: %v, want %q", name, err, tt.says)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > most {
			t.Errorf("a record %s took %d bytes, want at most %d", name, used, most)
		}
	}
}
