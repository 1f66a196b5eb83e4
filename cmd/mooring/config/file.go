package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"mooring/cmd/mooring/yaml"
)

// file is a configuration file. It collects faults with their places, so that one start shows all of them.
type file struct {
	name   string
	root   *yaml.Node // nil: the file is empty
	faults faults
}

// faults are what is wrong with a configuration file, as an error with one line each.
type faults []yaml.Fault

func (all faults) Error() string {
	lines := make([]string, len(all))
	for i, f := range all {
		lines[i] = f.String()
	}
	return strings.Join(lines, "\n")
}

// err returns the faults found so far in the order of the file, nil for none.
func (f *file) err() error {
	if len(f.faults) == 0 {
		return nil
	}
	slices.SortStableFunc(f.faults, func(a, b yaml.Fault) int { return a.Place.Compare(b.Place) })
	return f.faults
}

// place returns where the value at a path of keys (text or whole numbers) and positions in lists stands. Where the path ends early it is the
// last value reached, so that a missing key is reported at what lacks it.
func (f *file) place(path ...any) yaml.Place {
	if f.root == nil {
		return yaml.Place{File: f.name}
	}
	return f.root.Find(path...).Start()
}

// fault records what is wrong at a place, once: an alias repeats what it names.
func (f *file) fault(at yaml.Place, format string, args ...any) {
	found := yaml.Fault{Place: at, Message: fmt.Sprintf(format, args...)}
	if !slices.Contains(f.faults, found) {
		f.faults = append(f.faults, found)
	}
}

// faultsAt records each line of an error about the part of the configuration at a path.
func (f *file) faultsAt(err error, what string, path ...any) {
	for line := range strings.Lines(err.Error()) {
		f.fault(f.place(path...), "%s: %s", what, strings.TrimSpace(line))
	}
}

// Lookup finds an environment variable, as os.LookupEnv does.
type Lookup func(name string) (value string, set bool)

// reference is ${NAME}; a dollar and a brace that begin none are refused rather than taken as text.
var reference = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$\{[^}]*\}?`)

// expand puts environment variables into the text values. It works on the parsed tree, so no value can change the shape of the file, whatever
// characters it holds.
func (f *file) expand(env Lookup) {
	for n := range f.root.Texts() {
		n.Text = reference.ReplaceAllStringFunc(n.Text, func(match string) string { return f.variable(n.Place, match, env) })
	}
}

// variable is the value of one reference found at a place.
func (f *file) variable(at yaml.Place, match string, env Lookup) string {
	name := reference.FindStringSubmatch(match)[1]
	if name == "" {
		f.fault(at, "%s is no reference: write ${NAME}", match)
		return ""
	}
	value, set := env(name)
	if !set {
		f.fault(at, "the environment variable %s is not set", name)
	}
	return value
}
