package source

import (
	"context"
	"strings"
	"unicode/utf8"
)

// Preparer is a Source that can check a query without running it.
type Preparer interface {
	// Prepare returns the names of the columns that q's result would have, in their order; nil where the source cannot tell them
	// without rows. Nothing of q runs, not even a function that it calls. Like Query it works on behalf of q.User, read-only, within
	// the statement timeout and the connections of the source.
	//
	// The error is the fault that Query would return, a *PositionError where the database says which part of the text is at fault. A
	// query that passes may still fail: on its rows, on its limits, or because it would write.
	Prepare(ctx context.Context, q Query) (columns []string, err error)
}

// Explainer is a Preparer that can say whether the source lets its login read what a query names.
type Explainer interface {
	Preparer
	// Explain returns the fault of Prepare, or an Auth fault for what may not be read. It returns no rows; functions of constants may run.
	Explain(ctx context.Context, q Query) error
}

// Describer is a Preparer that also says what the values of the columns are.
type Describer interface {
	Preparer
	// Describe is Prepare with the types of the columns: TypeOther where the source cannot tell them without rows.
	Describe(ctx context.Context, q Query) ([]Field, error)
}

// PositionError is a fault that lies at a place in the text of a query.
type PositionError struct {
	Line, Column int // both from 1; a column is a character
	Fault        error
}

func (e *PositionError) Error() string { return e.Fault.Error() }

func (e *PositionError) Unwrap() error { return e.Fault }

// AtCharacter says of a fault that it lies at a character of the query's text, counted from 1. The fault is returned as it is when the
// text has no such character: one behind the last is the end of the text, where something is missing.
func AtCharacter(fault error, text string, character int) error {
	if character < 1 || character > utf8.RuneCountInString(text)+1 {
		return fault
	}
	end := len(text)
	for i := range text {
		if character--; character == 0 {
			end = i
			break
		}
	}
	before := text[:end]
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return &PositionError{Line: 1 + strings.Count(before, "\n"), Column: 1 + utf8.RuneCountInString(line), Fault: fault}
}

// AtByte is AtCharacter for a byte of the text, counted from 0.
func AtByte(fault error, text string, offset int) error {
	if offset < 0 || offset > len(text) {
		return fault
	}
	return AtCharacter(fault, text, 1+utf8.RuneCountInString(text[:offset]))
}
