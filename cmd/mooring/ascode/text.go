package ascode

import (
	"fmt"
	"strings"
)

// Text returns a plan for a terminal; with colour only where the caller knows that it is wanted.
func (p *Plan) Text(colour bool) string {
	t := terminal{colour: colour}
	for _, a := range p.Assets {
		if !a.quiet() {
			t.asset(a)
		}
	}
	t.line("", "%s.", p.Summary)
	return t.String()
}

// quiet reports whether there is nothing to say of an asset.
func (a Planned) quiet() bool { return a.Action == Unchanged && a.Drift == nil && a.Preview == "" }

// The colours of a terminal.
const (
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
)

// terminal collects lines.
type terminal struct {
	strings.Builder
	colour bool
}

// line adds a line, whatever the texts in it hold.
func (t *terminal) line(colour, format string, args ...any) {
	s := Line(fmt.Sprintf(format, args...))
	if t.colour && colour != "" {
		s = "\x1b[" + colour + "m" + s + "\x1b[0m"
	}
	t.WriteString(s + "\n")
}

// look is the sign before an asset, and its colour.
func (a Action) look() (sign, colour string) {
	switch a {
	case Create:
		return "+", green
	case Update:
		return "~", yellow
	case Delete:
		return "-", red
	case Adopt:
		return "=", cyan
	case Conflicts:
		return "!", red
	}
	return " ", ""
}

func (t *terminal) asset(a Planned) {
	sign, colour := a.Action.look()
	t.line(colour, "%s %s %s:%s%s", sign, a.Action, a.Kind, a.Ref, a.where())
	for _, d := range a.Changes {
		t.difference(d)
	}
	for _, s := range a.remarks() {
		t.line("", "    %s", s)
	}
	if a.Error != nil {
		t.line(red, "    error%s: %s", a.Error.place(), a.Error.Message)
	}
	t.WriteByte('\n')
}

func (t *terminal) difference(d Difference) {
	lines := d.diff()
	if len(lines) == 0 {
		t.line("", "    %s: %s", d.Pointer, d.summary())
		return
	}
	t.line("", "    %s:", d.Pointer)
	for _, l := range lines {
		t.line(diffColour(l), "      %s", l)
	}
}

func diffColour(line string) string {
	switch {
	case strings.HasPrefix(line, "+"):
		return green
	case strings.HasPrefix(line, "-"):
		return red
	case strings.HasPrefix(line, "@@"):
		return cyan
	}
	return ""
}

func (e *PlannedError) place() string {
	if e.Line == 0 {
		return ""
	}
	return fmt.Sprintf(" in the SQL, line %d, column %d", e.Line, e.Column)
}

// remarks returns what else is to be known of an asset, a line each.
func (a Planned) remarks() (lines []string) {
	say := func(format string, args ...any) { lines = append(lines, Line(fmt.Sprintf(format, args...))) }
	if d := a.Drift; d != nil {
		say("drift: changed on the server%s: %s", deletedBy(&Deletion{By: d.By, At: d.At}), strings.Join(d.Pointers, ", "))
	}
	if a.Deleted != nil {
		say("deleted on the server%s", deletedBy(a.Deleted))
	}
	switch {
	case a.Action == Conflicts && a.Error == nil:
		say("%s", a.conflict())
	case a.Message != "":
		say("%s", a.Message)
	}
	if c := a.Columns; c != nil {
		if len(c.Appear) > 0 {
			say("columns that appear: %s", strings.Join(c.Appear, ", "))
		}
		for _, v := range c.Vanish {
			say("column that vanishes: %s", v)
		}
	}
	if len(a.Documents) > 0 {
		say("documents that change: %s", strings.Join(a.Documents, ", "))
	}
	if a.Preview != "" {
		say("next write: %s", a.Preview)
	}
	if n := a.NextFires; n != nil {
		say("next fires: %s → %s", fires(n.Before), fires(n.After))
	}
	return lines
}

func fires(times []string) string {
	if len(times) == 0 {
		return "none"
	}
	return strings.Join(times, ", ")
}

// String names a column with what shows it.
func (v Vanished) String() string {
	s := v.Name
	if len(v.Placements) > 0 {
		s += "; shown at " + strings.Join(v.Placements, ", ")
	}
	if len(v.Formulas) > 0 {
		s += "; formulas that refer to it: " + strings.Join(v.Formulas, ", ")
	}
	return s
}

// DriftText returns for a terminal what was changed or deleted on the server since the last apply, and of how many assets.
func (p *Plan) DriftText(colour bool) (text string, assets int) {
	t := terminal{colour: colour}
	for _, a := range p.Assets {
		if a.Drift == nil && a.Deleted == nil {
			continue
		}
		assets++
		t.line(yellow, "~ %s:%s%s", a.Kind, a.Ref, a.where())
		for _, s := range (Planned{Drift: a.Drift, Deleted: a.Deleted}).remarks() {
			t.line("", "    %s", s)
		}
	}
	if assets == 0 {
		t.line("", "No drift.")
	}
	return t.String(), assets
}

// Text returns what a pull does for a terminal: files, notes and conflicts.
func (p Pulled) Text(colour bool) string {
	t := terminal{colour: colour}
	for _, c := range p.Changes {
		switch {
		case c.Delete:
			t.line(red, "- %s", c.File)
		case c.New:
			t.line(green, "+ %s", c.File)
		case c.Anew:
			t.line(yellow, "~ %s, written anew: it could not be edited in place, comments and order are lost", c.File)
		default:
			t.line(yellow, "~ %s", c.File)
		}
	}
	for _, note := range p.Notes {
		t.line("", "%s", note)
	}
	for _, c := range p.Conflicts {
		t.line(red, "! %s: %s:%s differs from the server's, and both were changed: the file's is kept, --ours or --theirs decides",
			c.Place.String(), c.Kind, c.Ref)
		t.difference(Difference{Pointer: c.Pointer, Before: c.File, After: c.Server})
	}
	return t.String()
}
