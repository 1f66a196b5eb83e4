package web

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"
)

//go:embed docs.html
var docsPage string

// document is what the page shows of an OpenAPI document.
type document struct {
	Info struct {
		Title, Version, Description string
	}
	Tags  []struct{ Name string }
	Paths map[string]map[string]json.RawMessage

	Components struct {
		Parameters map[string]parameter
		Responses  map[string]response
		Schemas    map[string]schema
	}
}

type operation struct {
	Method, Path         string
	OperationID, Summary string
	Description          string
	Tags                 []string
	Parameters           []parameter
	RequestBody          struct {
		Required bool
		Content  map[string]media
	}
	Responses map[string]response
}

type parameter struct {
	Ref         string `json:"$ref"`
	Name, In    string
	Description string
	Required    bool
	Schema      schema
}

type response struct {
	Ref         string `json:"$ref"`
	Description string
	Content     map[string]media
}

type media struct{ Schema schema }

// schema is a JSON schema as far as the document uses them.
type schema struct {
	Ref         string `json:"$ref"`
	Type        any    // a name, or a list of them
	Description string
	Enum        []any
	Pattern     string
	Format      string
	MaxLength   *int
	Minimum     *int64
	Properties  map[string]schema
	Required    []string
	Items       *schema
	AnyOf       []schema
}

// docsOf renders an OpenAPI document as one page of HTML that needs nothing else.
func docsOf(text []byte) ([]byte, error) {
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, err
	}
	groups, err := d.groups()
	if err != nil {
		return nil, err
	}
	page, err := template.New("docs").Funcs(template.FuncMap{"type": schema.says, "required": slices.Contains[[]string]}).Parse(docsPage)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = page.Execute(&b, map[string]any{"Document": d, "Groups": groups})
	return b.Bytes(), err
}

// group is the operations of one tag.
type group struct {
	Name       string
	Operations []operation
}

// groups sorts the operations by tag, then path, with references to parameters and responses followed.
func (d *document) groups() ([]group, error) {
	byTag := map[string][]operation{}
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		var shared []parameter
		if raw, ok := d.Paths[path]["parameters"]; ok {
			if err := json.Unmarshal(raw, &shared); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		}
		for _, method := range []string{"get", "post", "put", "delete"} {
			raw, ok := d.Paths[path][method]
			if !ok {
				continue
			}
			o := operation{Method: strings.ToUpper(method), Path: path}
			if err := json.Unmarshal(raw, &o); err != nil {
				return nil, fmt.Errorf("%s %s: %w", method, path, err)
			}
			d.follow(&o, shared)
			byTag[o.Tags[0]] = append(byTag[o.Tags[0]], o)
		}
	}
	groups := make([]group, len(d.Tags))
	for i, tag := range d.Tags {
		groups[i] = group{tag.Name, byTag[tag.Name]}
	}
	return groups, nil
}

// parametersOf lists the query parameters of each operation of an OpenAPI document, by method and path as routes have it.
func parametersOf(text []byte) (map[string][]string, error) {
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, err
	}
	groups, err := d.groups()
	known := map[string][]string{}
	for _, g := range groups {
		for _, o := range g.Operations {
			path := strings.NewReplacer("{", ":", "}", "").Replace(o.Path)
			for _, p := range o.Parameters {
				if p.In == "query" {
					known[o.Method+" "+path] = append(known[o.Method+" "+path], p.Name)
				}
			}
		}
	}
	return known, err
}

// follow replaces the operation's references by what they name.
func (d *document) follow(o *operation, shared []parameter) {
	o.Parameters = append(slices.Clone(shared), o.Parameters...)
	for i, p := range o.Parameters {
		if p.Ref != "" {
			o.Parameters[i] = d.Components.Parameters[refName(p.Ref)]
		}
	}
	for status, r := range o.Responses {
		if r.Ref != "" {
			o.Responses[status] = d.Components.Responses[refName(r.Ref)]
		}
	}
}

// refName is the last part of a reference.
func refName(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

// says puts a schema in a few words; names of other schemas become links.
func (s schema) says() template.HTML {
	var b strings.Builder
	switch {
	case s.Ref != "":
		name := template.HTMLEscapeString(refName(s.Ref))
		fmt.Fprintf(&b, `<a href="#schema-%s">%s</a>`, name, name)
	case len(s.AnyOf) > 0:
		for i, part := range s.AnyOf {
			if i > 0 {
				b.WriteString(" or ")
			}
			b.WriteString(string(part.says()))
		}
	case s.Items != nil:
		b.WriteString("array of " + string(s.Items.says()))
	default:
		b.WriteString(template.HTMLEscapeString(typeNames(s.Type)))
	}
	b.WriteString(template.HTMLEscapeString(s.limits()))
	return template.HTML(b.String()) //nolint:gosec // every part is escaped above
}

func typeNames(t any) string {
	switch t := t.(type) {
	case string:
		return t
	case []any:
		names := make([]string, len(t))
		for i, name := range t {
			names[i] = fmt.Sprint(name)
		}
		return strings.Join(names, " or ")
	}
	return "any"
}

// limits lists what a value must keep to.
func (s schema) limits() string {
	var b strings.Builder
	if s.Format != "" {
		b.WriteString(", " + s.Format)
	}
	if len(s.Enum) > 0 {
		b.WriteString(": " + strings.Trim(strings.ReplaceAll(fmt.Sprint(s.Enum), "<nil>", "null"), "[]"))
	}
	if s.Pattern != "" {
		b.WriteString(", " + s.Pattern)
	}
	if s.MaxLength != nil {
		fmt.Fprintf(&b, ", at most %d characters", *s.MaxLength)
	}
	if s.Minimum != nil {
		fmt.Fprintf(&b, ", at least %d", *s.Minimum)
	}
	return b.String()
}
