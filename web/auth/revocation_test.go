package auth

import (
	"context"
	"errors"
	"testing"
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
