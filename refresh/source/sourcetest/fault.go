package sourcetest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/source"
)

// Unreachable is a source that cannot be used, and the class of fault that says so.
type Unreachable struct {
	Config source.Config
	Class  placements.Class
}

// wantFault fails the test unless err is a fault of that class whose message holds no internals.
func (s Subject) wantFault(t *testing.T, err error, class placements.Class) {
	t.Helper()
	var fault *placements.Fault
	if !errors.As(err, &fault) {
		t.Fatalf("got %v, want a %s fault", err, class)
	}
	if fault.Class != class {
		t.Errorf("class %s, want %s: %s", fault.Class, class, fault.Message)
	}
	if fault.Message == "" || strings.Contains(fault.Message, "\n") {
		t.Errorf("message %q is no sentence", fault.Message)
	}
	for _, internal := range s.Internals {
		if strings.Contains(fault.Message, internal) {
			t.Errorf("message %q tells %q", fault.Message, internal)
		}
	}
}

// faults proves that what goes wrong is classified and told without internals.
func (s Subject) faults(t *testing.T) {
	t.Run("a column that does not exist is named", func(t *testing.T) {
		_, err := s.open(t, nil).Query(context.Background(), s.Broken, new(checksum.Builder))
		s.wantFault(t, err, placements.Structure)
		if !strings.Contains(err.Error(), "missing_column") {
			t.Errorf("message %q does not name the column", err)
		}
	})
	t.Run("no query", func(t *testing.T) {
		_, err := s.open(t, nil).Query(context.Background(), source.Query{}, new(checksum.Builder))
		s.wantFault(t, err, placements.Structure)
	})
	t.Run("check passes", func(t *testing.T) {
		if err := s.open(t, nil).Check(context.Background()); err != nil {
			t.Error(err)
		}
	})
	for name, u := range s.Unreachable {
		t.Run(name, func(t *testing.T) {
			src := Open(t, u.Config)
			s.wantFault(t, src.Check(context.Background()), u.Class)
			_, err := src.Query(context.Background(), s.Rows(1), new(checksum.Builder))
			s.wantFault(t, err, u.Class)
		})
	}
}
