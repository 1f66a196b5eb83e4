package ascode

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"mooring/cmd/mooring/yaml"
)

// Rule names what a fault breaks, for tools that sort faults.
type Rule string

// The rules of a folder.
const (
	RuleFile      Rule = "file"      // a file that cannot be read, or stands where none may
	RuleYAML      Rule = "yaml"      // text that is not YAML, or YAML that is not read
	RuleKey       Rule = "key"       // an unknown key, or one that is missing
	RuleValue     Rule = "value"     // a value of a wrong type or form
	RuleDuplicate Rule = "duplicate" // two assets with one ref
	RuleReference Rule = "reference" // a name that names nothing
	RuleVariable  Rule = "variable"  // ${NAME} where it is not taken, or of no value
	RuleSecret    Rule = "secret"    // a secret in a file
	RuleLimit     Rule = "limit"     // more than a plan may have
	RuleServer    Rule = "server"    // what the server found
)

// Fault is one thing wrong with a folder: the message says what, and what to do.
type Fault struct {
	yaml.Fault
	Rule Rule
}

func (f Fault) String() string { return Line(f.Place.String() + ": " + f.Message) }

// Faults is everything wrong with a folder, in the order of files and lines.
type Faults []Fault

func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, fault := range f {
		lines[i] = fault.String()
	}
	return strings.Join(lines, "\n")
}

func (f *Faults) add(rule Rule, at yaml.Place, format string, args ...any) {
	*f = append(*f, Fault{Fault: yaml.Fault{Place: at, Message: fmt.Sprintf(format, args...)}, Rule: rule})
}

// err returns the faults as an error, sorted; nil for none.
func (f Faults) err() error {
	if len(f) == 0 {
		return nil
	}
	slices.SortStableFunc(f, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Place.File, b.Place.File), a.Place.Line-b.Place.Line, a.Place.Column-b.Place.Column)
	})
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
