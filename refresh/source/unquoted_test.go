package source_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"mooring/placements"
	"mooring/refresh/source"
)

func TestUnquoted(t *testing.T) {
	said := func(words string) error {
		cause := fmt.Errorf("driver: %s: %w", words, context.DeadlineExceeded)
		return source.Structure(cause, "the query does not run: %s; correct it", source.Said("error 7", words))
	}
	for _, row := range []struct {
		name      string
		err       error
		prepared  error
		want, log string // an empty log has the message
	}{
		{name: "words of a run", err: said("no Anna"), want: "the query does not run: error 7, whose text is left out, since it may quote values of parameters; correct it"},
		{name: "a part of a value", err: said("no An"), prepared: said("no x"), want: "the query does not run: error 7, whose text is left out, since it may quote values of parameters; correct it"},
		{name: "words of the text", err: said("no such column"), prepared: said("no such column"), want: "the query does not run: no such column; correct it"},
		{name: "words of its place", err: &source.PositionError{Line: 2, Column: 3, Fault: said("no Anna")}, want: "the query does not run: error 7, whose text is left out, since it may quote values of parameters; correct it"},
		{name: "our own words", err: source.TooBig(errors.New("Anna")), want: source.TooBig(nil).Error()},
		{name: "a connection", err: source.Fault(placements.Transient, fmt.Errorf("sent Anna: %w", &net.OpError{Op: "dial", Net: "tcp", Err: io.ErrUnexpectedEOF}), "it hung up"), want: "it hung up", log: "it hung up: dial tcp: unexpected EOF"},
		{name: "no cause", err: source.NoResult(), want: source.NoResult().Error(), log: "none"},
		{name: "no fault", err: context.Canceled, want: context.Canceled.Error(), log: "none"},
	} {
		t.Run(row.name, func(t *testing.T) {
			q := source.Query{SQL: "SELECT @name, @x", Parameters: placements.Arguments{
				{
					Parameter: &placements.Parameter{Name: "name", Type: placements.ParameterText},
					Value:     placements.OneValue(placements.TextScalar("Anna")),
				},
				{
					Parameter: &placements.Parameter{Name: "x", Type: placements.ParameterText, List: true},
					Value:     placements.ListValue(placements.TextScalar("x"), placements.TextScalar("y")),
				},
			}}
			got := source.Unquoted(row.err, q, func(other source.Query) error {
				for i, a := range other.Parameters {
					for n, v := range a.Value.Scalars() {
						if v.Equal(q.Parameters[i].Value.Scalars()[n]) {
							t.Errorf("prepared with %s for %s, which it has", v.Text(), a.Name)
						}
					}
				}
				return row.prepared
			})
			if got.Error() != row.want {
				t.Errorf("says %q, want %q", got, row.want)
			}
			if fault, ok := errors.AsType[*placements.Fault](got); ok && row.log != "none" {
				if want := cmp.Or(row.log, row.want); fault.Err.Error() != want {
					t.Errorf("the log has %q, want %q", fault.Err, want)
				}
			}
			for _, is := range []error{context.DeadlineExceeded, context.Canceled, io.ErrUnexpectedEOF} {
				if errors.Is(got, is) != errors.Is(row.err, is) {
					t.Errorf("it is %v: %t", is, errors.Is(got, is))
				}
			}
			if at, _ := errors.AsType[*source.PositionError](got); (at != nil) != strings.Contains(row.name, "place") {
				t.Errorf("its place is %v", at)
			}
		})
	}
	if err := said("no Anna"); source.Unquoted(err, source.Query{}, nil) != err {
		t.Error("the fault of a query without values is another")
	}
}
