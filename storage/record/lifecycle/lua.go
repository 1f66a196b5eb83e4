package lifecycle

import (
	"strings"

	"mooring/placements"
)

// The parameters of a predicate in Lua for each condition, and what it says of them. A condition that a script holds by other means, as by what
// is in its keys, has none.
var predicates = []struct {
	condition Condition
	params    []string
	text      string
}{
	{Latest, []string{"fence", "own"}, "fence == own"},
	{Leased, []string{"leased"}, "leased"},
	{Unleased, []string{"elsewhere"}, "not elsewhere"},
	{Idle, []string{"active"}, "not active"},
	{Busy, []string{"active"}, "active"},
	{Unbegun, []string{"begun"}, "begun == '0'"},
	{Unstopped, []string{"stop"}, "not stop"},
	{Unheld, []string{"held"}, "not held"},
	{Untaken, []string{"taken", "known"}, "(taken or '') == known"},
}

// Lua returns the text of a script behind the predicates that it asks: may<Name>(state, …) reports whether a run in that state may take the step
// of the rule of that name, and isOpen(state) whether it has not ended. The other parameters of the first are those of the conditions, in their
// order: fence and own, leased, elsewhere, active, begun, stop, held, taken and known.
func Lua(text string) string {
	var b strings.Builder
	if strings.Contains(text, "isOpen(") {
		b.WriteString("local function isOpen(state) return " + isOneOf(open) + " end\n")
	}
	for r := range rules {
		if strings.Contains(text, "may"+r.String()+"(") {
			b.WriteString(r.Step().predicate())
		}
	}
	return b.String() + text
}

// predicate is the predicate in Lua of a step.
func (s *Step) predicate() string {
	params, texts := []string{"state"}, []string{isOneOf(s.From)}
	for _, p := range predicates {
		if s.Needs&p.condition != 0 {
			params, texts = append(params, p.params...), append(texts, p.text)
		}
	}
	return "local function may" + s.Name + "(" + strings.Join(params, ", ") + ") return " + strings.Join(texts, " and ") + " end\n"
}

// isOneOf says in Lua that the state is one of list.
func isOneOf(list []placements.RunState) string {
	if len(list) == 0 {
		return "not state"
	}
	texts := make([]string, len(list))
	for i, state := range list {
		texts[i] = "state == '" + string(state) + "'"
	}
	if len(texts) == 1 {
		return texts[0]
	}
	return "(" + strings.Join(texts, " or ") + ")"
}
