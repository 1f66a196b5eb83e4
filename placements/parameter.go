package placements

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Parameter is what a report asks for: its query names it as @name, and each placement says its value.
type Parameter struct {
	Name      string          `json:"name"`
	Title     string          `json:"title,omitempty"`
	Type      ParameterType   `json:"type"`
	List      bool            `json:"list,omitempty"`    // its value is a list of such values
	Default   *ParameterValue `json:"default,omitempty"` // nil: every placement must say one
	Allowed   []Scalar        `json:"allowed,omitempty"` // nil: every value of the type; of a list each of its values
	FromCells bool            `json:"fromCells,omitempty"`
}

// ParameterType is what the values of a parameter are.
type ParameterType string

// The types.
const (
	ParameterText    ParameterType = "text"
	ParameterNumber  ParameterType = "number"
	ParameterDate    ParameterType = "date" // its values are texts: YYYY-MM-DD
	ParameterBoolean ParameterType = "boolean"
)

// ParameterTypes lists them.
func ParameterTypes() []ParameterType {
	return []ParameterType{ParameterText, ParameterNumber, ParameterDate, ParameterBoolean}
}

// The limits of parameters.
const (
	MaxParameters      = 16
	MaxParameterTitle  = 255   // characters
	MaxParameterText   = 1_000 // characters of a value
	MaxParameterValues = 1_000 // of a list, and of Allowed
)

// Label is what people know p by.
func (p *Parameter) Label() string {
	if p.Title != "" {
		return p.Title
	}
	return p.Name
}

// parameterName is how names of parameters look: as in a query behind @. Upper and lower case differ.
var parameterName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,62}$`)

// IsParameterName reports whether a parameter may have that name.
func IsParameterName(name string) bool { return parameterName.MatchString(name) }

// FindParameter returns the parameter of that name, nil for none.
func FindParameter(list []Parameter, name string) *Parameter {
	i := slices.IndexFunc(list, func(p Parameter) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	return &list[i]
}

// ParameterFaults are what is wrong with the parameters of a report, at the pointers of its member "parameters".
func ParameterFaults(list []Parameter) []Detail {
	f := parameterFaults{code: CodeParameterInvalid}
	if len(list) > MaxParameters {
		f.add("/parameters", fmt.Sprintf("has %d parameters: leave at most %d", len(list), MaxParameters))
		return f.details
	}
	seen := map[string]bool{}
	for i := range list {
		p, at := &list[i], fmt.Sprintf("/parameters/%d", i)
		f.definition(p, at)
		if seen[p.Name] {
			f.add(at+"/name", sentence("Another parameter is called %q: give each a name of its own.", p.Name))
		}
		seen[p.Name] = true
	}
	return f.details
}

// parameterFaults collects faults of one code.
type parameterFaults struct {
	code    Code
	details []Detail
}

func (f *parameterFaults) add(pointer, message string) {
	f.details = append(f.details, Detail{Pointer: pointer, Code: f.code, Message: message})
}

// definition judges one parameter.
func (f *parameterFaults) definition(p *Parameter, at string) {
	if !IsParameterName(p.Name) {
		f.add(at+"/name", sentence("%q is no name of a parameter: begin with a letter or _, "+
			"go on with letters, digits and _, and use at most 63 of them, none of another alphabet.", p.Name))
	}
	if n := utf8.RuneCountInString(p.Title); n > MaxParameterTitle {
		f.add(at+"/title", fmt.Sprintf("has %d characters: shorten it to %d", n, MaxParameterTitle))
	}
	if !slices.Contains(ParameterTypes(), p.Type) {
		f.add(at+"/type", sentence("%q is no type of a parameter: choose text, number, date or boolean.", string(p.Type)))
		return
	}
	f.allowed(p, at+"/allowed")
	if p.Default == nil {
		return
	}
	if fault := p.Admits(*p.Default); fault != nil {
		f.add(at+"/default"+fault.Pointer, fault.Message)
	}
}

// allowed judges the values that are allowed.
func (f *parameterFaults) allowed(p *Parameter, at string) {
	switch {
	case p.Allowed == nil:
		return
	case len(p.Allowed) == 0:
		f.add(at, "allows no value: list those that are allowed, or leave it out to allow every value")
	case len(p.Allowed) > MaxParameterValues:
		f.add(at, fmt.Sprintf("has %d values: leave at most %d", len(p.Allowed), MaxParameterValues))
		return
	}
	seen := make(map[Scalar]bool, len(p.Allowed))
	for i, v := range p.Allowed {
		pointer := fmt.Sprintf("%s/%d", at, i)
		if message := p.Type.fault(v); message != "" {
			f.add(pointer, message)
		} else if seen[v] {
			f.add(pointer, "is in the list already: leave it out here")
		}
		seen[v] = true
	}
}

// fault is why v is no value of the type, empty for one that is.
func (t ParameterType) fault(v Scalar) string {
	switch {
	case t == ParameterNumber && v.readsAsNumber():
		return "is a text that reads as a number: send it without quotes" // which no face does
	case t == ParameterNumber && v.kind != scalarNumber:
		return "is no number: write it as 1.5"
	case t == ParameterBoolean && v.kind != scalarBoolean:
		return "is neither true nor false: send one of them, without quotes"
	case (t == ParameterText || t == ParameterDate) && v.kind != scalarText:
		return "is no text: write it in quotes"
	case t == ParameterDate && !isDate(v.text):
		return "is no date: write it as 2026-01-31"
	case utf8.RuneCountInString(v.text) > MaxParameterText:
		return fmt.Sprintf("has more than %d characters: shorten it", MaxParameterText)
	case strings.ContainsRune(v.text, 0):
		return "holds a NUL character: remove it"
	}
	return ""
}

// ValueFault is why a parameter does not admit a value. It quotes no value that was sent.
type ValueFault struct {
	Pointer    string // to the value of a list at fault; empty: the whole
	Message    string // as that of a Detail
	NotAllowed bool   // it is of the type, but not among the allowed values
}

// Admits returns why v is no value of p, nil if it is.
func (p *Parameter) Admits(v ParameterValue) *ValueFault {
	switch {
	case p.List && !v.IsList():
		return &ValueFault{Message: "is one value, where the parameter takes a list: write it in brackets"}
	case !p.List && v.IsList():
		return &ValueFault{Message: "is a list, where the parameter takes one value"}
	case len(v.Scalars()) > MaxParameterValues:
		return &ValueFault{Message: fmt.Sprintf("has %d values: leave at most %d", len(v.Scalars()), MaxParameterValues)}
	}
	for i, one := range v.Scalars() {
		pointer := ""
		if p.List {
			pointer = fmt.Sprintf("/%d", i)
		}
		if message := p.Type.fault(one); message != "" {
			return &ValueFault{Pointer: pointer, Message: message}
		}
		if p.Allowed != nil && !slices.Contains(p.Allowed, one) {
			return &ValueFault{Pointer: pointer, Message: "is not allowed: choose one of " + p.allowedText(), NotAllowed: true}
		}
	}
	return nil
}

// shownAllowed is how many allowed values a message lists.
const shownAllowed = 20

// allowedText lists the allowed values for a message.
func (p *Parameter) allowedText() string {
	texts := make([]string, 0, shownAllowed)
	for _, v := range p.Allowed[:min(len(p.Allowed), shownAllowed)] {
		texts = append(texts, clip(v.Text()))
	}
	text := strings.Join(texts, ", ")
	if more := len(p.Allowed) - len(texts); more > 0 {
		text += fmt.Sprintf(" and %d others", more)
	}
	return text
}

// Signature is what of the parameters decides how a query is read: name, type and list of each; nil for none. Its JSON is canonical.
func Signature(list []Parameter) []ParameterSignature {
	var all []ParameterSignature
	for _, p := range list {
		all = append(all, ParameterSignature{p.List, p.Name, p.Type})
	}
	return all
}

// ParameterSignature is that of one. The fields are in alphabetical order.
type ParameterSignature struct {
	List bool          `json:"list"`
	Name string        `json:"name"`
	Type ParameterType `json:"type"`
}

// EqualParameters reports whether two reports ask for the same.
func EqualParameters(a, b []Parameter) bool {
	one, _ := json.Marshal(a) // of texts, numbers and truth values
	other, _ := json.Marshal(b)
	return string(one) == string(other)
}
