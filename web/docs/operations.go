package docs

import (
	"encoding/json"
	"html/template"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// Interface is what the page of the interface lists of an OpenAPI document.
type Interface struct {
	About    template.HTML // what the document says of itself
	Sections []Section
}

// Section is the operations that share a tag.
type Section struct {
	Name       string
	Operations []Operation
}

// Operation is one method of a path.
type Operation struct {
	Method, Path, Summary string
	Address               string // the fragment by which the viewer shows it
}

// Describe reads an OpenAPI document. Its sections stand in the order of the document's tags, their operations by path.
func Describe(openAPI []byte) (*Interface, error) {
	var d struct {
		Info struct{ Description string }
		Tags []struct{ Name string }
		// Operations, by path and method.
		Paths map[string]map[string]struct {
			Tags                 []string
			Summary, OperationID string
		}
	}
	if err := json.Unmarshal(openAPI, &d); err != nil {
		return nil, err
	}
	about, _, err := Page{Text: d.Info.Description}.render(nil)
	if err != nil {
		return nil, err
	}
	described := &Interface{About: about}
	for _, tag := range d.Tags {
		section := Section{Name: tag.Name}
		for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
			for _, method := range []string{"get", "post", "put", "delete"} {
				if o, ok := d.Paths[path][method]; ok && slices.Contains(o.Tags, tag.Name) {
					address := "#/" + url.PathEscape(tag.Name) + "/" + o.OperationID
					section.Operations = append(section.Operations, Operation{strings.ToUpper(method), path, o.Summary, address})
				}
			}
		}
		described.Sections = append(described.Sections, section)
	}
	return described, nil
}
