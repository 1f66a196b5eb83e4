package placements

import (
	"maps"
	"slices"
	"strings"
)

// SampleArguments are values with which a query can be looked at that is not run: the defaults, or any that are admitted.
func SampleArguments(of []Parameter) Arguments {
	var all Arguments
	for i := range of {
		all = append(all, Argument{&of[i], of[i].sample()})
	}
	return all
}

func (p *Parameter) sample() ParameterValue {
	var v Scalar
	switch {
	case p.Default != nil && len(p.Default.Scalars()) > 0:
		return *p.Default
	case len(p.Allowed) > 0:
		v = p.Allowed[0]
	case p.Type == ParameterNumber:
		v = NumberScalar(0)
	case p.Type == ParameterDate:
		v = TextScalar("2000-01-01")
	case p.Type == ParameterBoolean:
		v = BooleanScalar(false)
	default:
		v = TextScalar("")
	}
	if p.List {
		return ListValue(v)
	}
	return OneValue(v)
}

// WithInferred returns parameters with those that only values tell of, by the names that these have: of the type that the value is of.
func WithInferred(of []Parameter, given map[string]ParameterValue) []Parameter {
	all := slices.Clone(of)
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if FindParameter(of, name) == nil {
			all = append(all, inferred(name, given[name]))
		}
	}
	return all
}

// inferred is a parameter that has that value.
func inferred(name string, v ParameterValue) Parameter {
	p := Parameter{Name: name, Type: ParameterText, List: v.IsList()}
	is := func(t ParameterType) bool {
		return len(v.Scalars()) > 0 && !slices.ContainsFunc(v.Scalars(), func(one Scalar) bool { return t.fault(one) != "" })
	}
	for _, t := range []ParameterType{ParameterNumber, ParameterDate, ParameterBoolean} {
		if is(t) {
			p.Type = t
		}
	}
	return p
}

// Unfit says why no query could be made of what a placement says of these parameters; empty if one could, as far as the service knows the values.
func (s ParameterSettings) Unfit(of []Parameter) string {
	for _, name := range s.names() {
		p, f := FindParameter(of, name), parameterFaults{}
		if f.setting(p, name, s[name]); len(f.details) > 0 {
			return p.sentenceOf(f.details[0])
		}
	}
	for i := range of {
		if _, said := s[of[i].Name]; !said && of[i].Default == nil {
			return of[i].noValue() + "."
		}
	}
	return ""
}

// sentenceOf is a fault of what a placement says of p, nil for one that there is not, as a sentence that names p.
func (p *Parameter) sentenceOf(fault Detail) string {
	switch {
	case p == nil || strings.HasSuffix(fault.Message, "."):
		return fault.Message
	case fault.Code == CodeParameterValue:
		return "The value of " + p.Label() + " " + fault.Message + "."
	}
	return p.Label() + " " + fault.Message + "."
}

// ReachedBy reports whether what a placement that says s shows is another once its report has other parameters, though its query stays.
func (s ParameterSettings) ReachedBy(before, after []Parameter) bool {
	return !maps.Equal(s.usable(before), s.usable(after))
}
