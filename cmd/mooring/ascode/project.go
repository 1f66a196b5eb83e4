package ascode

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mooring/cmd/mooring/yaml"
	"mooring/cmd/mooring/yaml/shape"
)

// projectFile is what makes a directory a project's folder.
const projectFile = "project.yaml"

// ProjectFile is what project.yaml says for the chosen environment.
type ProjectFile struct {
	Name        string
	Server      string // empty: MOORING_SERVER says it
	Environment Environment
	Prune       PruneRequest

	external []string // publicIds of reports that other projects keep
}

// Environment is one deployment that the folder is applied to.
type Environment struct {
	Name       string
	Deployment int64
	Derived    bool              // publicIds are derived from those of the files
	Values     map[string]string // of ${NAME} where a document is named
	Roles      map[string]int64  // ids by name
}

// PruneRequest is how many assets a plan may delete: a number, or a share such as 10%. The zero value is the larger of 5 and 10 %.
type PruneRequest struct {
	Limit any `json:"limit,omitempty"`
}

var (
	projectName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)
	share       = regexp.MustCompile(`^(100|[0-9]{1,2})%$`)
)

func projectShape() shape.Shape {
	ids := shape.Whole(1).Or(idText) // a variable's value is text
	environment := shape.Keys(
		shape.Must("deployment", ids), shape.May("ids", shape.Choice("derived")), shape.May("values", shape.Table(shape.Text(maxText))),
		shape.May("roles", shape.Table(ids)),
	)
	return shape.Keys(
		shape.Must("project", shape.Rule(nameOfProject)), shape.May("server", shape.Rule(server)), shape.May("default", shape.Text(maxName)),
		shape.Must("environments", shape.Table(environment)), shape.May("prune", shape.Keys(shape.Must("limit", shape.Whole(0).Or(limitText)))),
		shape.May("external", shape.List(shape.Rule(publicID))),
	)
}

var (
	nameOfProject = shape.Form{Pattern: projectName.String(), Wrong: func(s string) string {
		if !projectName.MatchString(s) {
			return "a project's name has 1 to 64 characters, a-z, 0-9, dot, underscore or hyphen, and begins with a letter or digit: " +
				"choose such a one"
		}
		return ""
	}}
	idText = shape.Form{Pattern: `^\+?[0-9]+$`, Wrong: func(s string) string {
		if v, err := strconv.ParseInt(s, 10, 64); (err != nil || v < 1) && !variable.MatchString(s) { // of another environment
			return fmt.Sprintf("%q is no id: write a whole number from 1", s)
		}
		return ""
	}}
	limitText = shape.Form{Pattern: `^[+-]?[0-9]+%?$`, Wrong: func(s string) string {
		if v, err := strconv.ParseInt(s, 10, 32); (err != nil || v < 0) && !share.MatchString(s) {
			return fmt.Sprintf("%q is no limit: write a number, or a share such as \"10%%\"", s)
		}
		return ""
	}}
	server = shape.Form{Pattern: `^[Hh][Tt][Tt][Pp][Ss]?:`, Wrong: serverFault}
)

func serverFault(s string) string {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return "is no address of a server: write one such as https://acme.example.com"
	case u.User != nil:
		return "an address here has no name and no password: take them out and use mooring login, or MOORING_SERVER and MOORING_TOKEN"
	}
	return ""
}

// Variable looks up an environment variable, as os.LookupEnv does.
type Variable func(name string) (value string, set bool)

// project reads project.yaml for one environment; an empty name is the default one.
func (f *Faults) project(root *yaml.Node, environment string, lookup Variable) ProjectFile {
	before := len(*f)
	name, chosen := f.choose(root, environment)
	f.expandProject(root, chosen, lookup)
	*f = append(*f, projectShape().Check(root)...)
	if len(*f) > before || chosen == nil {
		return ProjectFile{}
	}
	p := ProjectFile{Name: root.Get("project").Text, Environment: environmentOf(name, chosen)}
	if n := root.Get("server"); n != nil {
		p.Server = strings.TrimSuffix(n.Text, "/")
	}
	if n := root.Get("prune").Get("limit"); n != nil {
		p.Prune = prune(n)
	}
	if n := root.Get("external"); n != nil {
		for _, item := range n.Items {
			p.external = append(p.external, item.Text)
		}
	}
	return p
}

// choose finds the environment of that name, or the default one, or the only one.
func (f *Faults) choose(root *yaml.Node, name string) (string, *yaml.Node) {
	all, at := root.Get("environments"), root.Place
	if all == nil || all.Kind != yaml.Mapping || len(all.Pairs) == 0 {
		return "", nil
	}
	if byDefault := root.Get("default"); name == "" && byDefault != nil {
		name, at = byDefault.Text, byDefault.Place
	}
	if name == "" && len(all.Pairs) == 1 {
		name = all.Pairs[0].Key.Text
	}
	var known []string
	for _, p := range all.Pairs {
		known = append(known, p.Key.Text)
	}
	chosen := all.Get(name)
	switch {
	case name == "":
		f.add(yaml.RuleKey, all.Place, "there are several environments: name one with --env, or with default")
	case chosen == nil:
		f.add(RuleReference, at, "there is no environment %q: %s", name, yaml.Suggestion(name, known))
	}
	return name, chosen
}

// expandProject replaces environment variables. Those of other environments need not be set.
func (f *Faults) expandProject(root, chosen *yaml.Node, lookup Variable) {
	for _, p := range root.Pairs {
		value := p.Value
		if p.Key.Text == "environments" {
			value = chosen
		}
		for n := range value.Texts() {
			f.expand(n, func(name string) (string, string) {
				v, set := lookup(name)
				if !set {
					return "", "the environment variable " + name + " is not set: set it"
				}
				return v, ""
			})
		}
	}
}

func environmentOf(name string, n *yaml.Node) Environment {
	e := Environment{Name: name, Deployment: id(n.Get("deployment")), Derived: n.Get("ids") != nil && n.Get("ids").Kind == yaml.Text}
	e.Values, e.Roles = map[string]string{}, map[string]int64{}
	if values := n.Get("values"); values != nil {
		for _, p := range values.Pairs {
			e.Values[p.Key.Text] = p.Value.Text
		}
	}
	if roles := n.Get("roles"); roles != nil {
		for _, p := range roles.Pairs {
			e.Roles[p.Key.Text] = id(p.Value)
		}
	}
	return e
}

// id reads a number that a variable may have made a text, of which the shape was checked.
func id(n *yaml.Node) int64 {
	v, _ := strconv.ParseInt(n.Text, 10, 64)
	return v
}

func prune(n *yaml.Node) PruneRequest {
	if n.Kind == yaml.Text && share.MatchString(n.Text) {
		return PruneRequest{Limit: n.Text}
	}
	v, _ := strconv.ParseInt(n.Text, 10, 32)
	return PruneRequest{Limit: v}
}

func names[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
