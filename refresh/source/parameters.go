package source

import "mooring/placements"

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
