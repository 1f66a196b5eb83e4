package source

import (
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mooring/placements"
)

// Binder is a Source whose queries may name parameters. It runs a Query with the values of its Parameters, which are bound, or where the
// source cannot bind written by one function that no value gets out of.
type Binder interface {
	// ParameterFaults returns what is wrong with how q names these parameters, of which there is at least one, at the pointers of a report:
	// names that are none of theirs, places where no value may stand, parameters that q does not name. It asks no database.
	ParameterFaults(q Query, of []placements.Parameter) []placements.Detail
}

// ParameterFaults are those of a query of s. The text of one without parameters is not looked at.
func ParameterFaults(s Source, q Query, of []placements.Parameter) []placements.Detail {
	if len(of) == 0 {
		return nil
	}
	if b, ok := s.(Binder); ok {
		return b.ParameterFaults(q, of)
	}
	return []placements.Detail{{
		Pointer: "/parameters", Code: placements.CodeParameterInvalid, Message: "is not for this source, whose queries take no values: leave it out",
	}}
}

// Bindable refuses a query with parameters of a source that takes none.
func Bindable(s Source, q Query) error {
	if _, ok := s.(Binder); ok || len(q.Parameters) == 0 {
		return nil
	}
	return Structure(nil, "the source takes no parameters; take them out of the report")
}

// Unquoted returns a fault whose message does not quote the values of parameters, which not all may see who see the fault.
func Unquoted(err error, with placements.Arguments) error {
	fault, ok := errors.AsType[*placements.Fault](err)
	if !ok || len(with) == 0 {
		return err
	}
	message := fault.Message
	for _, text := range textsOf(with) {
		message = hide(message, text)
	}
	if message == fault.Message {
		return err
	}
	plain := *fault
	plain.Message = message
	if at, ok := errors.AsType[*PositionError](err); ok {
		return &PositionError{at.Line, at.Column, &plain}
	}
	return &plain
}

// textsOf are the texts of all values, the longest first: one may be part of another.
func textsOf(with placements.Arguments) (texts []string) {
	for _, a := range with {
		for _, v := range a.Value.Scalars() {
			if _, is := v.Boolean(); !is && v.Text() != "" {
				texts = append(texts, v.Text(), strings.ReplaceAll(v.Text(), "'", "''"))
			}
		}
	}
	slices.SortFunc(texts, func(a, b string) int { return len(b) - len(a) })
	return slices.Compact(texts)
}

// hide puts … where a text stands in a message by itself.
func hide(message, text string) string {
	var b strings.Builder
	for {
		at := strings.Index(message, text)
		if at < 0 {
			return b.String() + message
		}
		end := at + len(text)
		before, _ := utf8.DecodeLastRuneInString(message[:at])
		after, _ := utf8.DecodeRuneInString(message[end:])
		if inWord(before) && inWord(firstRune(text)) || inWord(after) && inWord(lastRune(text)) {
			b.WriteString(message[:end])
		} else {
			b.WriteString(message[:at] + "…")
		}
		message = message[end:]
	}
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

func inWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_')
}
