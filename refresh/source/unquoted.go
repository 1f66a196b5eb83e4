package source

import (
	"errors"
	"net"
	"slices"

	"mooring/placements"
)

// leftOut stands in faults for what a source said of a query with values.
const leftOut = ", whose text is left out, since it may quote values of parameters"

// Unquoted returns a fault of q that quotes none of its values, which not all may see who see the fault or the log: neither in its message nor in its
// cause. Of the source's own words only their kind is left, unless it says the same of q before it has the values. That is what prepare asks it,
// of q with other values: its error is that of a Prepare which nothing was taken from.
func Unquoted(err error, q Query, prepare func(Query) error) error {
	fault, ok := errors.AsType[*placements.Fault](err)
	if !ok || len(q.Parameters) == 0 {
		return err
	}
	plain := *fault
	said, ok := fault.Err.(*quoting) //nolint:errorlint // what its cause quotes is not in its message
	if ok && !said.is(prepare(standIn(q))) {
		plain.Message = said.message(Words.unquoted)
	}
	plain.Err = unquotedCause(plain.Message, fault.Err)
	if at, ok := errors.AsType[*PositionError](err); ok {
		return &PositionError{at.Line, at.Column, &plain}
	}
	return &plain
}

// is reports whether another fault of a source has the same words.
func (e *quoting) is(other error) bool {
	same, ok := errors.AsType[*quoting](other)
	return ok && slices.Equal(e.words(), same.words())
}

// standIn is q with other values, of which none is one of its own: what is said of both is said of neither's values.
func standIn(q Query) Query {
	with := make(placements.Arguments, len(q.Parameters))
	for i, a := range q.Parameters {
		list := make([]placements.Scalar, len(a.Value.Scalars()))
		for n, v := range a.Value.Scalars() {
			list[n] = another(a.Type, v)
		}
		with[i] = placements.Argument{Parameter: a.Parameter, Value: placements.ListValue(list...)}
		if !a.Value.IsList() {
			with[i].Value = placements.OneValue(list[0])
		}
	}
	q.Parameters = with
	return q
}

// another is a value of the type that is not v.
func another(of placements.ParameterType, v placements.Scalar) placements.Scalar {
	var two [2]placements.Scalar
	switch of {
	case placements.ParameterNumber:
		two = [...]placements.Scalar{placements.NumberScalar(1), placements.NumberScalar(2)}
	case placements.ParameterBoolean:
		two = [...]placements.Scalar{placements.BooleanScalar(true), placements.BooleanScalar(false)}
	case placements.ParameterDate:
		two = [...]placements.Scalar{placements.TextScalar("2000-01-01"), placements.TextScalar("2000-01-02")}
	default:
		two = [...]placements.Scalar{placements.TextScalar("x"), placements.TextScalar("y")}
	}
	if v.Text() == two[0].Text() {
		return two[1]
	}
	return two[0]
}

// unquotedError stands for the cause of a fault, which may quote values. It still is what that is.
type unquotedError struct {
	text  string
	cause error
}

// unquotedCause is what the log may have of a cause: what users are told, and of a connection that failed what failed of it.
func unquotedCause(told string, cause error) error {
	if cause == nil {
		return nil
	}
	if failed, ok := errors.AsType[*net.OpError](cause); ok {
		told += ": " + failed.Error()
	}
	return &unquotedError{told, cause}
}

func (e *unquotedError) Error() string { return e.text }

func (e *unquotedError) Is(target error) bool { return errors.Is(e.cause, target) }

func (e *unquotedError) As(target any) bool { return errors.As(e.cause, target) }
