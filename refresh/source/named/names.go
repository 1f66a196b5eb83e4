package named

import (
	"errors"
	"fmt"
	"strings"

	"mooring/placements"
	"mooring/refresh/source"
)

// Name is a place where a text names a parameter.
type Name struct {
	Name  string
	Alone bool // in the parentheses behind IN: as many values may stand there as there are

	begin, end int // bytes of the text, of @ and name
}

// names returns the names of a text, in their order, as far as it can be read.
func (d Dialect) names(text string) (list []Name, fault *lexFault) {
	l := d.lexer(text)
	var before [2]string // the two tokens before this one, where they may be IN and (
	for {
		t, ok := l.next()
		if !ok || t.fault != nil {
			return list, t.fault
		}
		said := text[t.Begin:t.End]
		if n := len(list); n > 0 && list[n-1].Alone && list[n-1].end <= t.Begin && before[1] == "@" {
			list[n-1].Alone = said == ")"
		}
		if t.Kind == Reference {
			word := strings.TrimLeft(before[0], "$0123456789") // of 1.5IN databases read 1.5 and IN
			alone := strings.EqualFold(word, "IN") && before[1] == "("
			list = append(list, Name{Name: said[1:], Alone: alone, begin: t.Begin, end: t.End})
			said = "@"
		}
		if t.Kind == Quoted {
			said = ""
		}
		before[0], before[1] = before[1], said
	}
}

// Faults are what is wrong with how a text names these parameters: at the pointer that the text has, those of which it says nothing at their
// own.
func (d Dialect) Faults(pointer, text string, of []placements.Parameter) []placements.Detail {
	var faults []placements.Detail
	add := func(code placements.Code, at int, message string) {
		one := placements.Detail{Pointer: pointer, Code: code, Message: message}
		if place, ok := errors.AsType[*source.PositionError](source.AtByte(errors.New(message), text, at)); ok {
			one.Line, one.Column = place.Line, place.Column
		}
		faults = append(faults, one)
	}
	names, unread := d.names(text)
	used := map[string]bool{}
	for _, n := range names {
		p := placements.FindParameter(of, n.Name)
		used[n.Name] = true
		switch {
		case p == nil:
			add(placements.CodeParameterUndeclared, n.begin, Undeclared(n.Name))
		case p.List && !n.Alone:
			add(placements.CodeParameterInvalid, n.begin, notAlone(n.Name))
		}
	}
	if unread != nil {
		add(placements.CodeParameterInvalid, unread.at, "What begins here "+unread.message+".")
		return faults
	}
	return append(faults, Unused(of, used)...)
}

// Undeclared says that a query names what is no parameter of its report.
func Undeclared(name string) string {
	return fmt.Sprintf("@%.80s is no parameter of the report: declare it, or correct the name; an operator @ needs a blank behind it.", name)
}

// Unused are the faults of the parameters that no query names, at their own pointers.
func Unused(of []placements.Parameter, used map[string]bool) (faults []placements.Detail) {
	for i := range of {
		if !used[of[i].Name] {
			faults = append(faults, placements.Detail{
				Pointer: fmt.Sprintf("/parameters/%d", i), Code: placements.CodeParameterUnused,
				Message: fmt.Sprintf("The query does not name %.80s: name it there, or remove the parameter.", of[i].Name),
			})
		}
	}
	return faults
}

func notAlone(name string) string {
	return fmt.Sprintf("@%[1]s is a list, which stands alone in parentheses behind IN or NOT IN: write IN (@%[1]s).", name)
}
