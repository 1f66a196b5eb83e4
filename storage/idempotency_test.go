package storage_test

import (
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
	"mooring/storage/tenants"
)

var once = record.IdempotencyKey{Who: "ada", Request: "POST /x", Key: "k"}

func TestIdempotencyKey(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		begin := func(tenant, who, request, key, body string) (*tenants.IdempotentRequest, *record.Response, error) {
			return s.Tenants().BeginIdempotent(t.Context(), tenant, record.IdempotencyKey{Who: who, Request: request, Key: key}, []byte(body))
		}
		first, _, err := begin("acme", "ada", "POST /x", "k", "body")
		if first == nil || err != nil {
			t.Fatalf("the first request: %v", err)
		}
		_, _, err = begin("acme", "ada", "POST /x", "k", "body")
		wantConflict(t, err, placements.CodeKeyInFlight)
		if _, _, err := begin("acme", "ada", "POST /x", "k", "other body"); !errors.Is(err, tenants.ErrOtherBody) {
			t.Errorf("another body in flight: %v", err)
		}
		response := record.Response{Status: 200, Header: map[string]string{"ETag": `"1"`}, Body: []byte(`{"id":1}`)}
		if err := first.Finish(t.Context(), response); err != nil {
			t.Fatal(err)
		}
		attempt, again, err := begin("acme", "ada", "POST /x", "k", "body")
		if attempt != nil || err != nil {
			t.Errorf("a repetition is a first request: %v", err)
		}
		if diff := cmp.Diff(&response, again); diff != "" {
			t.Error(diff)
		}
		if _, _, err := begin("acme", "ada", "POST /x", "k", "other body"); !errors.Is(err, tenants.ErrOtherBody) {
			t.Errorf("another body: %v", err)
		}
		for _, apart := range [][4]string{{"globex", "ada", "POST /x", "k"}, {"acme", "bob", "POST /x", "k"}, {"acme", "ada", "POST /x", "k2"}, {"acme", "ada", "POST /", "xk"}} {
			if attempt, _, err := begin(apart[0], apart[1], apart[2], apart[3], "body"); attempt == nil || err != nil {
				t.Errorf("%v is the same request: %v", apart, err)
			}
		}
	})
}

func TestAbandonedIdempotencyKeyIsFree(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		for range 2 {
			attempt, _, err := s.Tenants().BeginIdempotent(t.Context(), "acme", once, nil)
			if attempt == nil || err != nil {
				t.Fatalf("not free: %v", err)
			}
			if err := attempt.Abandon(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestLateAttemptDoesNotTouchTheNextOne(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		late, _, err := s.Tenants().BeginIdempotent(t.Context(), "acme", once, nil)
		if err != nil {
			t.Fatal(err)
		}
		s.ExpireIdempotency(t, "acme")
		if next, _, err := s.Tenants().BeginIdempotent(t.Context(), "acme", once, nil); next == nil || err != nil {
			t.Fatalf("the claim of a dead process holds: %v", err)
		}
		for _, end := range []func() error{
			func() error { return late.Finish(t.Context(), record.Response{Status: 200}) },
			func() error { return late.Abandon(t.Context()) },
		} {
			if err := end(); err != nil {
				t.Fatal(err)
			}
			_, _, err = s.Tenants().BeginIdempotent(t.Context(), "acme", once, nil)
			wantConflict(t, err, placements.CodeKeyInFlight)
		}
	})
}

func TestIdempotencyKeyOfManyAtOnceHasOneFirst(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		var first atomic.Int32
		var wg sync.WaitGroup
		for range 32 {
			wg.Go(func() {
				if attempt, _, _ := s.Tenants().BeginIdempotent(t.Context(), "acme", once, nil); attempt != nil {
					first.Add(1)
				}
			})
		}
		wg.Wait()
		if first.Load() != 1 {
			t.Errorf("%d requests were the first", first.Load())
		}
	})
}

func TestIdempotencyRecordsExpire(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		attempt, _, err := s.Tenants().BeginIdempotent(t.Context(), "acme", once, nil)
		if err != nil {
			t.Fatal(err)
		}
		if ttl := s.IdempotencyTTL(t, "acme"); ttl <= time.Minute || ttl > 2*time.Minute {
			t.Errorf("in flight it is kept for %v", ttl)
		}
		if err := attempt.Finish(t.Context(), record.Response{Status: 200}); err != nil {
			t.Fatal(err)
		}
		if ttl := s.IdempotencyTTL(t, "acme"); ttl <= 23*time.Hour || ttl > 24*time.Hour {
			t.Errorf("answered it is kept for %v", ttl)
		}
	})
}

func TestWhatIsKeptOfOneCallerIsBounded(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		answer := func(who string, n, size int) {
			t.Helper()
			key := record.IdempotencyKey{Who: who, Request: "POST /x", Key: strconv.Itoa(n)}
			attempt, _, err := s.Tenants().BeginIdempotent(t.Context(), "acme", key, nil)
			if attempt == nil || err != nil {
				t.Fatalf("answer %d to %s: %v", n, who, err)
			}
			if err := attempt.Finish(t.Context(), record.Response{Status: 200, Body: make([]byte, size)}); err != nil {
				t.Fatal(err)
			}
		}
		kept := func(who string, n int) bool {
			t.Helper()
			attempt, answer, err := s.Tenants().BeginIdempotent(t.Context(), "acme", record.IdempotencyKey{Who: who, Request: "POST /x", Key: strconv.Itoa(n)}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if attempt != nil {
				_ = attempt.Abandon(t.Context())
			}
			return answer != nil
		}
		answer("bob", 0, 1)
		for n := range tenants.MaxKeptAnswers + 20 {
			answer("many", n, 1)
		}
		const large = 1 << 20 // as JSON a third more
		for n := range 20 {
			answer("large", n, large)
		}
		for fact, tt := range map[string]struct {
			who  string
			n    int
			want bool
		}{
			"the oldest of too many is dropped":        {"many", 0, false},
			"the latest of many is kept":               {"many", tenants.MaxKeptAnswers + 19, true},
			"the oldest of those too large is dropped": {"large", 0, false},
			"the latest large one is kept":             {"large", 19, true},
			"other callers' are left alone":            {"bob", 0, true},
		} {
			if kept(tt.who, tt.n) != tt.want {
				t.Errorf("not so: %s", fact)
			}
		}
		if records, bytes := s.IdempotencyKept(t, "acme"); records > tenants.MaxKeptAnswers+1+16 || bytes > tenants.MaxKeptBytes+1<<20 {
			t.Errorf("%d records of %d bytes are kept", records, bytes)
		}
	})
}

// A creation is noted with its Idempotency-Key in the step that creates: whatever happens to the first request then, a repetition finds it.
func TestWhatWasMadeUnderAnIdempotencyKeyIsFound(t *testing.T) {
	for fact, after := range map[string]func(first *tenants.IdempotentRequest) error{
		"the server died":                  func(*tenants.IdempotentRequest) error { return nil },
		"the answer was a fault, or large": func(first *tenants.IdempotentRequest) error { return first.Abandon(t.Context()) },
	} {
		t.Run(fact, func(t *testing.T) {
			each(t, func(t *testing.T, s *storage.Store) {
				for name, make := range creations(s) {
					use := record.IdempotencyKey{Who: "ada", Request: "POST /" + name, Key: "k"}
					first, _, err := s.Tenants().BeginIdempotent(t.Context(), "acme", use, nil)
					if err != nil {
						t.Fatal(err)
					}
					id, err := make(t, first.Once())
					if err != nil {
						t.Fatal(err)
					}
					if err := after(first); err != nil {
						t.Fatal(err)
					}
					again, kept, err := s.Tenants().BeginIdempotent(t.Context(), "acme", use, nil)
					if err != nil || kept != nil || again.Once().Made != id {
						t.Fatalf("%s: made %+v, kept %v, %v; want %d", name, again, kept, err, id)
					}
					if err := again.Finish(t.Context(), record.Response{Status: 200}); err != nil {
						t.Fatal(err)
					}
					if _, kept, err := s.Tenants().BeginIdempotent(t.Context(), "acme", use, nil); err != nil || kept == nil {
						t.Errorf("%s: the answer of the repetition is not kept: %v", name, err)
					}
				}
			})
		})
	}
}

// A request that took longer than it may, so that another one has its key, creates nothing any more.
func TestARequestThatLostItsIdempotencyKeyCreatesNothing(t *testing.T) {
	for _, name := range []string{"report", "workbook", "schedule"} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *storage.Store) {
				make := creations(s)[name]
				late, next := overtaken(t, s)
				if id, err := make(t, late.Once()); err == nil {
					t.Errorf("%s %d is made by a request that lost its key", name, id)
				}
				if _, err := make(t, next.Once()); err != nil {
					t.Errorf("%s by the request that has the key: %v", name, err)
				}
			})
		})
	}
}

// overtaken returns a request that took longer than it may, and the one that has its key now.
func overtaken(t *testing.T, s *storage.Store) (late, next *tenants.IdempotentRequest) {
	t.Helper()
	late, _, err := s.Tenants().BeginIdempotent(t.Context(), "acme", once, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.ExpireIdempotency(t, "acme")
	next, _, err = s.Tenants().BeginIdempotent(t.Context(), "acme", once, nil)
	if err != nil {
		t.Fatal(err)
	}
	return late, next
}

// Such a request makes no run either, for an agent or an add-in, and one that has the key makes it once.
func TestARunIsMadeOnceUnderAnIdempotencyKey(t *testing.T) {
	for _, by := range []record.Executor{record.ExecutorAgent, record.ExecutorClient} {
		t.Run(string(by), func(t *testing.T) {
			each(t, func(t *testing.T, s *storage.Store) {
				d := record.Deployment{Tenant: "acme", ID: 1}
				r, err := s.Reports().Create(t.Context(), d, record.ReportInput{SQLQuery: placements.Sent("SELECT 1")}, record.Actor{ID: 1})
				if err != nil {
					t.Fatal(err)
				}
				_, err = s.Placements().Connect(t.Context(), d, r.ID, placements.Connection{ExternalWorkbookID: "b", ResultLocation: "S!A1", PlacementID: "p"},
					record.Actor{ID: 1}, nil, false)
				if err != nil {
					t.Fatal(err)
				}
				start := func(o record.Once) error {
					run := &record.Run{
						ReportID: r.ID, PlacementID: "p", ExternalWorkbookID: "b", Executor: by, Placements: []record.RunPlacement{},
						RequestedBy: record.Actor{ID: 1, Via: record.Via{Once: o}},
					}
					if by == record.ExecutorClient {
						_, _, err := s.Work().Queue.Clients.Try(t.Context(), d, run, time.Hour)
						return err
					}
					return storagetest.Enqueue(t.Context(), s.Work(), d, run)
				}
				late, next := overtaken(t, s)
				if err := start(late.Once()); !errors.Is(err, storage.ErrLockLost) {
					t.Errorf("by a request that lost its key: %v", err)
				}
				if err := start(next.Once()); err != nil {
					t.Fatal(err)
				}
				if err := next.Abandon(t.Context()); err != nil { // its answer is lost
					t.Fatal(err)
				}
				again, kept, err := s.Tenants().BeginIdempotent(t.Context(), "acme", once, nil)
				if err != nil || kept != nil {
					t.Fatalf("kept %v, %v", kept, err)
				}
				runs, err := s.Queue().Runs.OfReport(t.Context(), d, r.ID)
				if err != nil || len(runs) != 1 || again.Once().Run != runs[0].ID {
					t.Errorf("runs %v, %v; the key says %q", runs, err, again.Once().Run)
				}
			})
		})
	}
}

// creations are how each kind of record is created by a request with a hold on its key. They return the id.
func creations(s *storage.Store) map[string]func(*testing.T, record.Once) (int64, error) {
	at := record.Deployment{Tenant: "acme", ID: 1}
	holding := func(o record.Once) record.Actor { return record.Actor{ID: 1, Via: record.Via{Once: o}} }
	return map[string]func(*testing.T, record.Once) (int64, error){
		"report": func(t *testing.T, o record.Once) (int64, error) {
			r, err := s.Reports().Create(t.Context(), at, record.ReportInput{}, holding(o))
			if err != nil {
				return 0, err
			}
			return r.ID, nil
		},
		"workbook": func(t *testing.T, o record.Once) (int64, error) {
			wb, err := s.Workbooks().Create(t.Context(), at, record.WorkbookInput{}, holding(o))
			if err != nil {
				return 0, err
			}
			return wb.ID, nil
		},
		"schedule": func(t *testing.T, o record.Once) (int64, error) {
			r, err := s.Reports().Create(t.Context(), at, record.ReportInput{}, record.Actor{ID: 1})
			if err != nil {
				t.Fatal(err)
			}
			spec := record.ScheduleSpec{Cron: []string{"@daily"}, Target: record.RunTarget{ReportID: r.ID}}
			c, err := s.Schedules().Create(t.Context(), at, spec, holding(o), func(int64) record.Tick { return record.Tick{} })
			if err != nil {
				return 0, err
			}
			return c.ID, nil
		},
	}
}
