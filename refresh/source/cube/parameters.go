package cube

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mooring/placements"
	"mooring/refresh/source"
	"mooring/refresh/source/named"
)

var _ source.Binder = (*layer)(nil)

// ParameterFaults looks at the jsonQuery, where {"parameter": "region"} stands for values of a filter or of a date range, or else at the
// sqlQuery, of which Cube takes no values: they are written into it as literals.
func (c *layer) ParameterFaults(q source.Query, of []placements.Parameter) []placements.Detail {
	if strings.TrimSpace(q.JSON) == "" {
		return named.Literals.Faults("/sqlQuery", q.SQL, of)
	}
	query, err := decodeQuery([]byte(q.JSON))
	if err != nil {
		return []placements.Detail{{Pointer: "/jsonQuery", Code: placements.CodeParameterInvalid, Message: "is no JSON object, in which parameters could stand"}}
	}
	w := walk{of: func(name string) *placements.Parameter { return placements.FindParameter(of, name) }, used: map[string]bool{}}
	w.query(query)
	for i := range w.faults {
		w.faults[i].Pointer = "/jsonQuery" + w.faults[i].Pointer
	}
	return append(w.faults, named.Unused(of, w.used)...)
}

// bind puts the values of parameters into a jsonQuery.
func bind(text string, with placements.Arguments) (string, error) {
	if len(with) == 0 {
		return text, nil
	}
	query, err := decodeQuery([]byte(text))
	if err != nil {
		return text, nil // the parser says what is wrong
	}
	w := walk{with: with, used: map[string]bool{}, of: func(name string) *placements.Parameter {
		if a := with.Find(name); a != nil {
			return a.Parameter
		}
		return nil
	}}
	bound := w.query(query)
	if len(w.faults) > 0 {
		return "", source.Structure(nil, "%s of the jsonQuery: %s", w.faults[0].Pointer, w.faults[0].Message)
	}
	if w.err != nil {
		return "", w.err
	}
	out, err := encode(bound)
	return string(out), err
}

// decodeQuery reads a jsonQuery with its numbers as they are written.
func decodeQuery(text []byte) (query map[string]any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return query, d.Decode(&query)
}

// walk goes through a jsonQuery and looks for parameters, where they may stand and where they may not.
type walk struct {
	of     func(name string) *placements.Parameter
	with   placements.Arguments // nil: only faults are looked for
	used   map[string]bool
	faults []placements.Detail // pointers into the query
	err    error               // why a value cannot stand where it is to
}

func (w *walk) fault(code placements.Code, at, format string, args ...any) {
	w.faults = append(w.faults, placements.Detail{Pointer: at, Code: code, Message: fmt.Sprintf(format, args...)})
}

// query returns the query with values in the places of parameters.
func (w *walk) query(query map[string]any) map[string]any {
	out := make(map[string]any, len(query))
	for _, name := range slices.Sorted(maps.Keys(query)) {
		at := "/" + pointer(name)
		switch name {
		case "filters":
			out[name] = w.filters(query[name], at)
		case "timeDimensions":
			out[name] = w.times(query[name], at)
		default:
			out[name] = w.nowhere(query[name], at)
		}
	}
	return out
}

func (w *walk) filters(value any, at string) any {
	list, ok := value.([]any)
	if !ok {
		return w.nowhere(value, at)
	}
	out := make([]any, len(list))
	for i, one := range list {
		out[i] = w.members(one, fmt.Sprintf("%s/%d", at, i), map[string]func(any, string) any{
			"and": w.filters, "or": w.filters, "values": w.filterValues,
		})
	}
	return out
}

func (w *walk) times(value any, at string) any {
	list, ok := value.([]any)
	if !ok {
		return w.nowhere(value, at)
	}
	out := make([]any, len(list))
	for i, one := range list {
		out[i] = w.members(one, fmt.Sprintf("%s/%d", at, i), map[string]func(any, string) any{"dateRange": w.dateRange})
	}
	return out
}

// members goes through an object, some of whose members are gone through in ways of their own.
func (w *walk) members(value any, at string, of map[string]func(any, string) any) any {
	object, ok := value.(map[string]any)
	if _, is := parameterOf(value); !ok || is {
		return w.nowhere(value, at)
	}
	out := make(map[string]any, len(object))
	for _, name := range slices.Sorted(maps.Keys(object)) {
		through := of[name]
		if through == nil {
			through = w.nowhere
		}
		out[name] = through(object[name], at+"/"+pointer(name))
	}
	return out
}

// nowhere goes through what may hold no parameter.
func (w *walk) nowhere(value any, at string) any {
	if name, is := parameterOf(value); is {
		w.used[name] = true
		w.fault(placements.CodeParameterInvalid, at, "The parameter %.80s stands where no value may: "+
			"write it as a value of a filter, or of a dateRange.", name)
		return value
	}
	switch is := value.(type) {
	case []any:
		for i, one := range is {
			w.nowhere(one, fmt.Sprintf("%s/%d", at, i))
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(is)) {
			w.nowhere(is[name], at+"/"+pointer(name))
		}
	}
	return value
}

// filterValues are those of a filter: {"parameter": …}, or a list that has some.
func (w *walk) filterValues(value any, at string) any {
	if name, is := parameterOf(value); is {
		return w.values(name, at)
	}
	list, ok := value.([]any)
	if !ok {
		return w.nowhere(value, at)
	}
	out := []any{}
	for i, one := range list {
		name, is := parameterOf(one)
		if !is {
			out = append(out, w.nowhere(one, fmt.Sprintf("%s/%d", at, i)))
			continue
		}
		out = append(out, w.values(name, fmt.Sprintf("%s/%d", at, i))...)
	}
	return out
}

// values are those of a parameter in a filter.
func (w *walk) values(name, at string) []any {
	list := []any{}
	p := w.named(name, at)
	if p == nil || w.with == nil {
		return list
	}
	for _, v := range w.with.Find(name).Value.Scalars() {
		list = append(list, v.Text())
	}
	if len(list) == 0 && w.err == nil {
		w.err = placements.ValueConflict(p.Label()+" is an empty list, which a filter of Cube cannot hold: choose a value", nil)
	}
	return list
}

// dateRange is a day, or a list of two, each of which may be {"parameter": …}.
func (w *walk) dateRange(value any, at string) any {
	if name, is := parameterOf(value); is {
		days := w.days(name, at)
		if len(days) == 1 {
			return days[0]
		}
		return days
	}
	list, ok := value.([]any)
	if !ok {
		return w.nowhere(value, at)
	}
	out := []any{}
	for i, one := range list {
		name, is := parameterOf(one)
		if !is {
			out = append(out, w.nowhere(one, fmt.Sprintf("%s/%d", at, i)))
			continue
		}
		out = append(out, w.days(name, fmt.Sprintf("%s/%d", at, i))...)
	}
	return out
}

// days are the values of a parameter in a date range.
func (w *walk) days(name, at string) []any {
	p := w.named(name, at)
	if p == nil {
		return nil
	}
	if p.Type != placements.ParameterDate {
		w.fault(placements.CodeParameterInvalid, at, "The parameter %.80s is a %s, where a dateRange takes dates: let it be a date.", name, p.Type)
		return nil
	}
	if p.List {
		w.fault(placements.CodeParameterInvalid, at, "The parameter %.80s is a list, where a dateRange takes a date: "+
			"write a parameter for its beginning and one for its end.", name)
		return nil
	}
	if w.with == nil {
		return nil
	}
	return []any{w.with.Find(name).Value.Scalars()[0].Text()}
}

// named returns the parameter of a name; nil where there is none, which is a fault.
func (w *walk) named(name, at string) *placements.Parameter {
	w.used[name] = true
	p := w.of(name)
	if p == nil {
		w.fault(placements.CodeParameterUndeclared, at, "%.80s is no parameter of the report: declare it, or correct the name.", name)
	}
	return p
}

// parameterOf returns the name in {"parameter": "region"}.
func parameterOf(value any) (name string, is bool) {
	object, ok := value.(map[string]any)
	if !ok || len(object) != 1 {
		return "", false
	}
	name, is = object["parameter"].(string)
	return name, is
}

// pointer is the name of a member as a JSON pointer has it.
func pointer(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }
