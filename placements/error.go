package placements

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Error is the refusal of a request, in whatever package it was decided. Code is for programs; Message is a sentence for the user that says
// what is wrong and what to do, and holds nothing internal.
type Error struct {
	Code       Code
	Message    string
	Details    []Detail      // what is wrong with which part of the request
	RetryAfter time.Duration // zero: not known
	Cause      error         // for the log only
	Count      *int          // of CodeCountChanged: how many the filter matches now
}

// Detail is one fault of a request: of its body at a JSON pointer (RFC 6901), of its path at the empty one. Message is a sentence, or
// without a final stop a predicate of what Pointer names.
type Detail struct {
	Pointer string `json:"pointer"`
	Code    Code   `json:"code"`
	Message string `json:"message"`
	RunID   string `json:"runId,omitempty"` // of CodeRunning: that run
	// Line and Column are a place in the text at Pointer, both from 1, a column being a character; 0: not known.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
}

// MaxDetails is the most details that one answer lists.
const MaxDetails = 100

// Errorf returns an error of that code with a message for the user.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Faulty returns the error of a body with these faults, of which there is at least one. It sorts them by their pointers and keeps the first
// MaxDetails. The code is that of the first.
func Faulty(details ...Detail) *Error {
	slices.SortStableFunc(details, func(a, b Detail) int { return strings.Compare(a.Pointer, b.Pointer) })
	details = details[:min(len(details), MaxDetails)]
	e := &Error{Code: details[0].Code, Message: details[0].sentence(), Details: details}
	if len(details) > 1 {
		e.Message = fmt.Sprintf("The request body has %d faults; see details.", len(details))
	}
	return e
}

// sentence is the message by itself.
func (d Detail) sentence() string {
	switch {
	case strings.HasSuffix(d.Message, "."):
		return d.Message
	case d.Pointer == "":
		return "The request body " + d.Message + "."
	}
	return "In the request body, " + d.Pointer + " " + d.Message + "."
}

// Because keeps the cause and returns e.
func (e *Error) Because(cause error) *Error {
	e.Cause = cause
	return e
}

// Error returns the message, with the first detail if it says more and with the cause: the text for a log.
func (e *Error) Error() string {
	text := e.Message
	if len(e.Details) > 0 && !strings.Contains(text, e.Details[0].Message) {
		text += ": " + e.Details[0].Pointer + " " + e.Details[0].Message
	}
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

func (e *Error) Unwrap() error { return e.Cause }

// CodeOf returns the code of an error that is an *Error, and the empty one of any other.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return ""
}

// DetailsOf returns the details of an error that is an *Error, and none of any other.
func DetailsOf(err error) []Detail {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Details
	}
	return nil
}

// invalid returns the error of a text that is no address.
func invalid(message string) *Error { return &Error{Code: CodeAddress, Message: message} }

// sentence formats a message; texts of the caller are clipped, for they may be megabytes long.
func sentence(format string, args ...any) string {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = clip(s)
		}
	}
	return fmt.Sprintf(format, args...)
}

// clip shortens a text to what a message can bear.
func clip(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	end := most
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
