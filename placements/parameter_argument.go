package placements

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Argument is a parameter with the value that a query is given for it.
type Argument struct {
	*Parameter
	Value ParameterValue
}

// Arguments are those of all parameters of a report, in its order.
type Arguments []Argument

// Values returns the values by name, nil for none.
func (a Arguments) Values() map[string]ParameterValue {
	var values map[string]ParameterValue
	for _, one := range a {
		if values == nil {
			values = make(map[string]ParameterValue, len(a))
		}
		values[one.Name] = one.Value
	}
	return values
}

// Keys returns the keys of the values by name, nil for none.
func (a Arguments) Keys() map[string]string {
	var keys map[string]string
	for _, one := range a {
		if keys == nil {
			keys = make(map[string]string, len(a))
		}
		keys[one.Name] = one.Value.Key()
	}
	return keys
}

// Key is a text that two have in common exactly if their values are equal.
func (a Arguments) Key() string {
	var b strings.Builder
	for _, one := range a {
		b.WriteString(one.Name + "=" + one.Value.Key() + "\n")
	}
	return b.String()
}

// Find returns the argument of a parameter, nil without one.
func (a Arguments) Find(name string) *Argument {
	i := slices.IndexFunc(a, func(one Argument) bool { return one.Name == name })
	if i < 0 {
		return nil
	}
	return &a[i]
}

// Arguments returns the values of which the placement's next query is made: those that it says, those that were read from its cells, by
// name (nil: an empty cell), else the defaults. The error is a *Fault of class Conflict: one that has no value, or that the report no longer
// admits. It quotes no value.
func (s ParameterSettings) Arguments(of []Parameter, read map[string]*ParameterValue) (Arguments, error) {
	for _, name := range slices.Sorted(maps.Keys(s)) {
		if FindParameter(of, name) == nil {
			return nil, ValueConflict(sentence("the report no longer has the parameter %q, of which the placement says a value: "+
				"take it out of the placement", name), nil)
		}
	}
	var all Arguments
	for i := range of {
		p := &of[i]
		v, err := s.argument(p, read)
		if err != nil {
			return nil, err
		}
		all = append(all, Argument{p, *v})
	}
	return all, nil
}

// argument returns the value of one parameter.
func (s ParameterSettings) argument(p *Parameter, read map[string]*ParameterValue) (*ParameterValue, error) {
	said := s[p.Name]
	v := said.Value
	if said.Cell != "" {
		if !p.FromCells {
			return nil, ValueConflict(fmt.Sprintf("the report no longer lets %s come from a cell: say its value", p.Label()), nil)
		}
		v = read[p.Name]
	}
	if v == nil {
		v = p.Default
	}
	if v == nil {
		return nil, ValueConflict(p.noValue(), nil)
	}
	if fault := p.Admits(*v); fault != nil {
		return nil, ValueConflict("the value of "+p.Label()+" "+fault.Message, nil)
	}
	return v, nil
}

// noValue says that p has none.
func (p *Parameter) noValue() string { return p.Label() + " has no value" }

// GivenArguments returns the values of which a query is made that a request gives values for, by name, and defaults for those that it leaves
// out; else what is wrong with it, at the pointers of its member "parameters".
func GivenArguments(of []Parameter, given map[string]ParameterValue) (Arguments, []Detail) {
	f := parameterFaults{code: CodeParameterUndeclared}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if FindParameter(of, name) == nil {
			f.add("/parameters/"+pointerName(name), noParameter(name))
		}
	}
	var all Arguments
	f.code = CodeParameterValue
	for i := range of {
		p := &of[i]
		v, sent := given[p.Name]
		if !sent && p.Default == nil {
			f.add("/parameters/"+p.Name, p.noValue()+": send one.")
			continue
		}
		if !sent {
			v = *p.Default
		}
		if fault := p.Admits(v); fault != nil {
			f.add("/parameters/"+p.Name+fault.Pointer, fault.Message)
		}
		all = append(all, Argument{p, v})
	}
	if len(f.details) > 0 {
		return nil, f.details
	}
	return all, nil
}
