package auth

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"mooring/storage/record"
)

// silent is a source of revocations that counts the questions and answers the last ones with an error.
type silent struct{ asked, answers int }

func (s *silent) Revoked(context.Context, string) ([]record.Revocation, error) {
	s.asked++
	if s.asked > s.answers {
		return nil, errors.New("no answer")
	}
	return nil, nil
}

// slow is a source that takes its time.
type slow time.Duration

func (s slow) Revoked(ctx context.Context, _ string) ([]record.Revocation, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(time.Duration(s)):
		return []record.Revocation{{TokenID: "7"}}, nil
	}
}

// How long the storage may take is said by its address, and nowhere else.
func TestASlowListOfRevokedTokensIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got, err := NewRevocations(slow(5*time.Minute)).Include(t.Context(), &Caller{TokenID: "7"}, time.Now())
		if err != nil || !got {
			t.Errorf("revoked %t, %v", got, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := NewRevocations(slow(5*time.Minute)).Include(ctx, &Caller{TokenID: "7"}, time.Now()); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a request that has a limit itself ends with %v", err)
		}
	})
}

// revoked is a source of revocations of those ids.
type revoked []string

func (r revoked) Revoked(context.Context, string) (list []record.Revocation, err error) {
	for _, id := range r {
		list = append(list, record.Revocation{TokenID: id})
	}
	return list, nil
}

func TestWhichTokensARevocationMeans(t *testing.T) {
	const ours, theirs = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "https://login.example.com"
	for _, tt := range []struct {
		fact string
		list revoked
		c    Caller
		want bool
	}{
		{"itself", revoked{ours}, Caller{TokenID: ours}, true},
		{"another", revoked{ours}, Caller{TokenID: "BBCDEFGHIJKLMNOPQRSTUVWXYZ"}, false},
		{"another issuer's", revoked{theirs + " 7"}, Caller{TokenID: theirs + " 7"}, true},
		{"by its jti alone", revoked{"7"}, Caller{TokenID: theirs + " 7"}, true},
		{"that of a third issuer", revoked{theirs + " 7"}, Caller{TokenID: "https://other.example.com 7"}, false},
		{"ours with the jti of theirs", revoked{theirs + " 7"}, Caller{TokenID: "7"}, false},
		{"the approver", revoked{theirs + " 7"}, Caller{Approver: theirs + " 7"}, true},
		{"the approver, from before ids named issuers", revoked{theirs + " 7"}, Caller{Approver: "7"}, true},
		{"an approver of ours with the jti of theirs", revoked{theirs + " " + ours}, Caller{Approver: ours}, false},
		{"an approver of a third issuer", revoked{theirs + " 7"}, Caller{Approver: "https://other.example.com 7"}, false},
		{"no approver", revoked{theirs + " 7"}, Caller{TokenID: ours}, false},
	} {
		got, err := NewRevocations(tt.list).Include(t.Context(), &tt.c, time.Now())
		if err != nil || got != tt.want {
			t.Errorf("%s: %t, want %t, %v", tt.fact, got, tt.want, err)
		}
	}
}

func TestRevocationsAreAskedOnceInAWhileAndFailClosed(t *testing.T) {
	from, now := &silent{answers: 1}, time.Now()
	r := NewRevocations(from)
	c := &Caller{Tenant: "acme", TokenID: "j"}
	for range 10 {
		if held, err := r.Include(t.Context(), c, now); held || err != nil {
			t.Fatal(held, err)
		}
	}
	if from.asked != 1 {
		t.Errorf("asked %d times within the age of a list", from.asked)
	}
	now = now.Add(revocationAge + time.Millisecond)
	if _, err := r.Include(t.Context(), c, now); err == nil {
		t.Error("an old list was used when the source did not answer")
	}
}
