package ascode

import (
	"fmt"
	"strings"

	"mooring/storage/record/portable"
)

// Text returns a plan for a terminal; with colour only where the caller knows that it is wanted.
func (r *Review) Text(colour bool) string {
	t := terminal{colour: colour}
	for _, a := range r.Assets {
		if !quiet(a) {
			t.asset(a, r.where(a))
		}
	}
	t.line("", "%s.", r.Summary)
	return t.String()
}

// quiet reports whether there is nothing to say of an asset.
func quiet(a portable.PlannedAsset) bool {
	return a.Action == portable.ActionUnchanged && a.Drift == nil && a.Preview == ""
}

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

// looks are the signs before assets, and their colours, by what becomes of them.
var looks = map[portable.Action]struct{ sign, colour string }{
	portable.ActionCreate:    {"+", green},
	portable.ActionUpdate:    {"~", yellow},
	portable.ActionDelete:    {"-", red},
	portable.ActionAdopt:     {"=", cyan},
	portable.ActionConflict:  {"!", red},
	portable.ActionUnchanged: {" ", ""},
	portable.ActionKept:      {" ", ""},
}

func (t *terminal) asset(a portable.PlannedAsset, where string) {
	look := looks[a.Action]
	t.line(look.colour, "%s %s %s:%s%s", look.sign, a.Action, a.Kind, a.Ref, where)
	for _, d := range a.Changes {
		t.difference(d)
	}
	for _, s := range remarks(a) {
		t.line("", "    %s", s)
	}
	if a.Error != nil {
		t.line(red, "    error%s: %s", placeOf(a.Error), a.Error.Message)
	}
	t.WriteByte('\n')
}

func (t *terminal) difference(d portable.MemberChange) {
	lines := unified(d)
	if len(lines) == 0 {
		t.line("", "    %s: %s", d.Pointer, inLine(d))
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

// placeOf is where in a query its fault is.
func placeOf(e *portable.QueryFault) string {
	if e.Line == 0 {
		return ""
	}
	return fmt.Sprintf(" in the SQL, line %d, column %d", e.Line, e.Column)
}

// remarks returns what else is to be known of an asset, a line each.
func remarks(a portable.PlannedAsset) (lines []string) {
	say := func(format string, args ...any) { lines = append(lines, Line(fmt.Sprintf(format, args...))) }
	if d := a.Drift; d != nil {
		say("drift: changed on the server%s: %s", deletedBy(&portable.Deletion{By: d.By, At: d.At}), strings.Join(d.Pointers, ", "))
	}
	if a.Deleted != nil {
		say("deleted on the server%s", deletedBy(a.Deleted))
	}
	switch {
	case a.Action == portable.ActionConflict && a.Error == nil:
		say("%s", conflict(a))
	case a.Message != "":
		say("%s", a.Message)
	}
	if c := a.Columns; c != nil {
		if len(c.Appear) > 0 {
			say("columns that appear: %s", strings.Join(c.Appear, ", "))
		}
		for _, v := range c.Vanish {
			say("column that vanishes: %s", withUses(v))
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

// withUses names a column with what shows it.
func withUses(v portable.ColumnVanish) string {
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
func (r *Review) DriftText(colour bool) (text string, assets int) {
	t := terminal{colour: colour}
	for _, a := range r.Assets {
		if a.Drift == nil && a.Deleted == nil {
			continue
		}
		assets++
		t.line(yellow, "~ %s:%s%s", a.Kind, a.Ref, r.where(a))
		for _, s := range remarks(portable.PlannedAsset{Drift: a.Drift, Deleted: a.Deleted}) {
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
		t.difference(portable.MemberChange{Pointer: c.Pointer, Before: c.File, After: c.Server})
	}
	return t.String()
}
