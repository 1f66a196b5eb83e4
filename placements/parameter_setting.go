package placements

import (
	"maps"
	"slices"
)

// ParameterSettings are what a placement says of its report's parameters, by their names.
type ParameterSettings map[string]ParameterSetting

// ParameterSetting is where a placement takes the value of a parameter from: what it says itself, or a cell of its document.
type ParameterSetting struct {
	Value *ParameterValue `json:"value,omitempty"`
	Cell  string          `json:"cell,omitempty"` // such as Setup!B2
}

// names are those of the parameters of which something is said, in their order.
func (s ParameterSettings) names() []string { return slices.Sorted(maps.Keys(s)) }

// Equal reports whether both say the same.
func (s ParameterSettings) Equal(other ParameterSettings) bool {
	return maps.EqualFunc(s, other, func(a, b ParameterSetting) bool {
		same := a.Value == nil && b.Value == nil || a.Value != nil && b.Value != nil && a.Value.Equal(*b.Value)
		return same && a.Cell == b.Cell
	})
}

// ValueKeys say of a placement, by the keys of ParameterValue, which values its last write used, and which ones it says.
type ValueKeys struct {
	Used map[string]string `json:"used,omitempty"`
	Said map[string]string `json:"said,omitempty"` // fromCell for one that a cell says
	// Marks are the placement's.
	Marks map[string]ParameterMark `json:"marks,omitempty"`
}

// ParameterMark is what is kept of a parameter that a placement takes from a cell, or once took. Its hidden name in the document has a number.
type ParameterMark struct {
	Number int    `json:"n"`           // given once for each parameter
	Said   string `json:"s,omitempty"` // the cell as it was last set: the parameter's Cell follows where people move it
	// Was are the places where it has been found between: files that were pulled meanwhile name it by these.
	Was []string `json:"w,omitempty"`
	// Named says whether the name is of that cell.
	Named NameState `json:"m,omitempty"`
}

// NameState says whether a document has a name for the cell of a parameter.
type NameState int

// The states.
const (
	NameNone  NameState = iota // not of that cell: what is read is what stands at the address
	NameGiven                  // an add-in was to give it
	NameStood                  // it stood there at the last run
	NameLost                   // it does no more: the last run found the cell deleted
)

// fromCell stands for what only a cell says; no value has that key.
const fromCell = "?"

// Keys are what s says.
func (s ParameterSettings) Keys() map[string]string {
	var keys map[string]string
	for name, one := range s {
		if keys == nil {
			keys = make(map[string]string, len(s))
		}
		if keys[name] = fromCell; one.Value != nil {
			keys[name] = one.Value.Key()
		}
	}
	return keys
}

// Written is the query checksum of a last write as a status compares it: another one than any report has if the values are outdated.
func (k ValueKeys) Written(query string, of []Parameter) string {
	if query != "" && k.Outdated(of) {
		return "outdated:" + query
	}
	return query
}

// usable are the keys of the values of which a query of the placement would be made, as far as the service knows them.
func (s ParameterSettings) usable(of []Parameter) map[string]string {
	var keys map[string]string
	said := s.Keys()
	for i := range of {
		if key, ok := nextKey(&of[i], said); ok {
			if keys == nil {
				keys = map[string]string{}
			}
			keys[of[i].Name] = key
		}
	}
	return keys
}

// nextKey is the key of the value of p that a query uses next, where the service knows it.
func nextKey(p *Parameter, said map[string]string) (key string, known bool) {
	if key, known = said[p.Name]; known {
		return key, key != fromCell
	}
	if p.Default == nil {
		return "", false
	}
	return p.Default.Key(), true
}

// Outdated reports whether the values that the service knows the placement's next write would use are not those of its last one. What stands in a cell
// it does not know.
func (k ValueKeys) Outdated(of []Parameter) bool {
	for i := range of {
		if next, known := nextKey(&of[i], k.Said); known && next != k.Used[of[i].Name] {
			return true
		}
	}
	return false
}

// Numbers are those of the hidden names, by the parameters, that are of the cells from which the placement takes values now; nil for none.
func (k ValueKeys) Numbers() map[string]int {
	var numbers map[string]int
	for name, m := range k.Marks {
		if m.Named == NameNone || k.Said[name] != fromCell {
			continue
		}
		if numbers == nil {
			numbers = make(map[string]int, len(k.Marks))
		}
		numbers[name] = m.Number
	}
	return numbers
}
