package storage_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/keep"
	"mooring/storage/storagetest"
)

// wire measures what a client sends to Redis, and may fail it.
type wire struct {
	t        *testing.T
	bytes    int // the most of one command, or of the commands of a pipeline
	args     int // the most of one command
	commands int // the most of a pipeline
	staged   int // commands about a stage
	before   func(n int) error
	after    func(cmd redis.Cmder) error
}

func (w *wire) DialHook(next redis.DialHook) redis.DialHook { return next }

func (w *wire) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		w.look(cmd)
		if !onStage(cmd) {
			return next(ctx, cmd)
		}
		w.staged++
		if w.before != nil {
			if err := w.before(w.staged); err != nil {
				cmd.SetErr(err)
				return err
			}
		}
		err := next(ctx, cmd)
		if err == nil && w.after != nil {
			if err = w.after(cmd); err != nil {
				cmd.SetErr(err)
			}
		}
		return err
	}
}

func (w *wire) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		w.look(cmds...)
		return next(ctx, cmds)
	}
}

func (w *wire) look(cmds ...redis.Cmder) {
	bytes := 0
	for _, cmd := range cmds {
		for i, arg := range cmd.Args() {
			if i != 1 || !strings.EqualFold(fmt.Sprint(cmd.Args()[0]), "eval") { // a script goes over once
				bytes += len(fmt.Sprint(arg))
			}
		}
		w.args = max(w.args, len(cmd.Args()))
	}
	w.bytes, w.commands = max(w.bytes, bytes), max(w.commands, len(cmds))
}

// onStage reports whether a command is a script about a stage.
func onStage(cmd redis.Cmder) bool {
	args := cmd.Args()
	return len(args) > 3 && strings.Contains(fmt.Sprint(args[3]), "}:stage:")
}

// manyPlaced are placements of a report, with what makes them large.
func manyPlaced(n int) []storage.Placed {
	list := make([]storage.Placed, n)
	for i := range list {
		list[i].Placement = placements.Placement{
			ID: fmt.Sprint("p", i), WorkbookID: fmt.Sprint("doc", i%50), WorkbookName: strings.Repeat("a long name ", 20), SheetName: fmt.Sprint("S", i), AnchorCell: "A1",
		}
		list[i].LastRun = &placements.LastRun{RunID: fmt.Sprint("run", i), State: placements.RunSucceeded}
	}
	return list
}

// However much is imported, no command of it is large.
func TestAnImportIsSentInPieces(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		var list []keep.Imported
		for i := range 1200 {
			r := create(t, s, shop, named(fmt.Sprint("R", i), ""))
			for _, p := range manyPlaced(2) {
				p.ID, p.WorkbookID = fmt.Sprint(p.ID, "-", i), fmt.Sprint(p.WorkbookID, "-", i)
				list = append(list, keep.Imported{ReportID: r.ID, Placed: p})
			}
		}
		w := &wire{t: t}
		s.Client().AddHook(w)
		if err := s.Imports().Import(t.Context(), shop, list, ada); err != nil {
			t.Fatal(err)
		}
		if w.bytes > 300<<10 || w.args > 2500 || w.commands > 200 || w.staged < 5 {
			t.Errorf("at most %d bytes, %d arguments, %d commands at once, %d of the pieces", w.bytes, w.args, w.commands, w.staged)
		}
		if got := load(t, s, shop, list[0].ReportID).Placements; len(got) != 2 {
			t.Errorf("%d placements", len(got))
		}
		for _, key := range s.Client().Keys(t.Context(), "*:lock:*").Val() {
			t.Errorf("%s is left over", key)
		}
	})
}

// A process that ends between two pieces leaves nothing that a reader sees, and the next import is whole.
func TestAnImportThatEndsBetweenPieces(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		r := create(t, s, shop, named("Sales", ""))
		list := manyPlaced(300)
		before := s.Dump(t)
		w := &wire{t: t}
		s.Client().AddHook(w)
		for ends := 1; ; ends++ {
			ctx, end := context.WithCancel(t.Context())
			w.staged = 0
			w.before = func(n int) error {
				if n < ends {
					return nil
				}
				end()
				return ctx.Err()
			}
			err := storagetest.Import(ctx, s, shop, r.ID, list)
			end()
			if err == nil {
				if ends < 5 {
					t.Errorf("it had %d pieces only", ends)
				}
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			after := s.Dump(t)
			for key := range after {
				if strings.Contains(key, "}:stage:") {
					if ttl := s.Client().PTTL(t.Context(), key).Val(); ttl <= 0 {
						t.Errorf("%s does not expire: %s", key, ttl)
					}
					delete(after, key)
				}
			}
			wantSameDump(t, before, after)
		}
		if got := load(t, s, shop, r.ID).Placements; len(got) != len(list) {
			t.Errorf("%d placements, want %d", len(got), len(list))
		}
	})
}

// A server whose answers come too late, to each command once, has done what it was asked, and does it once.
func TestAnImportWhoseAnswersAreLost(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		r := create(t, s, shop, named("Sales", ""))
		list := manyPlaced(300)
		lost := map[string]bool{}
		w := &wire{t: t, after: func(cmd redis.Cmder) error {
			if asked := fmt.Sprint(cmd.Args()[3:]); !lost[asked] {
				lost[asked] = true
				return &net.OpError{Op: "read", Net: "tcp", Err: os.ErrDeadlineExceeded}
			}
			return nil
		}}
		s.Client().AddHook(w)
		if err := storagetest.Import(t.Context(), s, shop, r.ID, list); err != nil {
			t.Fatal(err)
		}
		if got := load(t, s, shop, r.ID).Placements; len(got) != len(list) || len(lost) < 5 {
			t.Errorf("%d placements, want %d; %d answers were lost", len(got), len(list), len(lost))
		}
		notes := 0
		for key, content := range s.Dump(t) {
			if strings.HasSuffix(key, ":audit") {
				notes += len(content)
			}
		}
		if notes != len(list)+1 {
			t.Errorf("%d entries in the audit, want one for each placement and one for the report", notes)
		}
	})
}
