package ascode

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"mooring/cmd/mooring/yaml"
)

// The rules of a folder, besides those of any file.
const (
	RuleFile      yaml.Rule = "file"      // a file that cannot be read, or stands where none may
	RuleDuplicate yaml.Rule = "duplicate" // two assets with one ref
	RuleReference yaml.Rule = "reference" // a name that names nothing
	RuleVariable  yaml.Rule = "variable"  // ${NAME} where it is not taken, or of no value
	RuleSecret    yaml.Rule = "secret"    // a secret in a file
	RuleLimit     yaml.Rule = "limit"     // more than a plan may have
	RuleServer    yaml.Rule = "server"    // what the server found
)

// Faults is everything wrong with a folder, in the order of files and lines.
type Faults []yaml.Fault

func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, fault := range f {
		lines[i] = Line(fault.String())
	}
	return strings.Join(lines, "\n")
}

func (f *Faults) add(rule yaml.Rule, at yaml.Place, format string, args ...any) {
	*f = append(*f, yaml.Fault{Place: at, Rule: rule, Message: fmt.Sprintf(format, args...)})
}

// err returns the faults as an error, sorted; nil for none.
func (f Faults) err() error {
	if len(f) == 0 {
		return nil
	}
	slices.SortStableFunc(f, func(a, b yaml.Fault) int { return a.Place.Compare(b.Place) })
	return slices.Compact(f)
}

// What may make a line a command of the log of continuous integration: "::" behind what is blank, and "##[" or "##vso[" anywhere.
var (
	commandLine = regexp.MustCompile(`(?m)^([\s\p{Z}]*):(:)`)
	command     = regexp.MustCompile(`#(#[A-Za-z]*\[)`)
)

// visible returns a text for a terminal or a log: what would steer it, or turn the direction of writing, is written as JSON escapes it.
func visible(s string) string {
	return visibleWithin(commandLine.ReplaceAllString(s, `${1}\u003a${2}`))
}

// visibleWithin is visible for a text that never begins a line.
func visibleWithin(s string) string {
	s = command.ReplaceAllString(s, `\u0023${1}`)
	var b strings.Builder
	for _, r := range s {
		if r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			for _, unit := range utf16.AppendRune(nil, r) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Line returns a text of other people, such as a server's, for a terminal: in one line, and steering nothing.
func Line(s string) string { return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(visible(s)) }
