package redis

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestJoin(t *testing.T) {
	cut, other := Unavailable(errors.New("EOF")), errors.New("a fault of ours")
	for _, tt := range []struct {
		fact string
		errs []error
		want string
		is   []error
	}{
		{"nothing failed", []error{nil, nil}, "", nil},
		{"one part", []error{nil, cut}, "storage unavailable: EOF", []error{ErrUnavailable}},
		{"all parts", []error{cut, Unavailable(errors.New("refused")), cut}, "storage unavailable: EOF (3 failed because of it)", []error{ErrUnavailable}},
		{"joined twice", []error{Join(cut, cut), fmt.Errorf("commit: %w", cut)}, "storage unavailable: EOF (3 failed because of it)", []error{ErrUnavailable}},
		{"a refusal says more", []error{cut, ErrFull}, "storage unavailable: storage is full (2 failed because of it)", []error{ErrUnavailable, ErrFull}},
		{"another fault stays", []error{cut, other, cut}, "a fault of ours\nstorage unavailable: EOF (2 failed because of it)", []error{ErrUnavailable, other}},
		{"a caller that left", []error{context.Canceled}, "context canceled", []error{context.Canceled}},
	} {
		t.Run(tt.fact, func(t *testing.T) {
			err := Join(tt.errs...)
			if tt.want == "" {
				if err != nil {
					t.Errorf("got %v", err)
				}
				return
			}
			if err == nil || err.Error() != tt.want || strings.Count(err.Error(), ErrUnavailable.Error()) > 1 {
				t.Fatalf("got %q, want %q", err, tt.want)
			}
			for _, one := range tt.is {
				if !errors.Is(err, one) {
					t.Errorf("it is not %v", one)
				}
			}
		})
	}
}
