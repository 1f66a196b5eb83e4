package ascode

import (
	"regexp"
	"slices"
	"strings"

	"mooring/cmd/mooring/yaml"
	"mooring/storage/record/portable"
)

// variable is ${NAME} in a text, or $${, which stands for ${ itself.
var variable = regexp.MustCompile(`\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_.-]*)\}|\$\{[^}]*\}?`)

// expand replaces the variables in a text by their values.
func (f *Faults) expand(n *yaml.Node, value func(name string) (v, fault string)) {
	n.Text = variable.ReplaceAllStringFunc(n.Text, func(match string) string {
		if match == "$${" {
			return "${"
		}
		name := variable.FindStringSubmatch(match)[1]
		if name == "" {
			f.add(RuleVariable, n.Place, "%s is no variable: write ${NAME}, or $${ for the characters themselves", match)
			return match
		}
		v, fault := value(name)
		if fault != "" {
			f.add(RuleVariable, n.Place, "%s", fault)
			return match // not empty, which would be another fault
		}
		return v
	})
}

// expandAsset replaces the environment's values where a document is named, and refuses variables everywhere else.
func (f *Faults) expandAsset(root *yaml.Node, kind portable.AssetKind, p ProjectFile) {
	var documents []*yaml.Node
	switch kind {
	case portable.KindPlacement:
		documents = append(documents, root.Get("document"))
	case portable.KindSchedule:
		documents = append(documents, root.Get("target").Get("document"))
	}
	for n := range root.Texts() {
		f.expand(n, func(name string) (string, string) {
			if !slices.Contains(documents, n) {
				return "", "${" + name + "} is not replaced here, only where a document is named: write $${ for the characters themselves"
			}
			v, known := p.Environment.Values[name]
			switch {
			case p.Name == "": // project.yaml has a fault, and nothing is known
				return name, ""
			case !known:
				return "", "${" + name + "} is no value of the environment: " + yaml.Suggestion(name, names(p.Environment.Values))
			}
			return v, ""
		})
	}
}

// escape returns a value as a file writes it: with $${ for ${.
func escape(v any) any {
	switch v := v.(type) {
	case string:
		return strings.ReplaceAll(v, "${", "$${")
	case []any:
		items := make([]any, len(v))
		for i, item := range v {
			items[i] = escape(item)
		}
		return items
	case map[string]any:
		members := make(map[string]any, len(v))
		for k, item := range v {
			members[k] = escape(item)
		}
		return members
	}
	return v
}
