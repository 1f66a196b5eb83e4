package house

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// imported finds what a module imports: at its head, when it is needed, or in a comment for a type.
var imported = regexp.MustCompile(`(?m)^(?:import|export)\b[^;"]*"(\.[^"]+\.mjs)"|\bimport\("(\.[^"]+\.mjs)"\)`)

// floors are folders of modules, and which others they may import beside their own. The longest that a module lies in holds for it.
var floors = map[string][]string{
	"ui":               nil,
	"addin":            {"ui", "builder", "addin/excel", "addin/sheets", "addin/demo"},
	"addin/excel":      {"addin"},
	"addin/sheets":     {"addin"},
	"addin/demo":       {"addin", "demo"},
	"builder":          {"ui"},
	"console":          {"ui", "console/screens"},
	"console/screens":  {"ui", "builder", "console", "console/parts", "console/pictures"},
	"console/parts":    {"ui", "console"},
	"console/pictures": {"ui", "console", "console/parts"},
	"demo":             {"ui", "addin", "addin/demo"},
}

// The modules of the faces form no circle, types that comments name included: each can be read without those that need it.
func TestModules(t *testing.T) {
	graph := modules(t)
	if circle := largestCircle(graph); len(circle) > 1 {
		t.Errorf("modules need each other: %s", strings.Join(circle, ", "))
	}
	for name, needed := range graph {
		from := floorOf(name)
		for _, to := range needed {
			if graph[to] == nil {
				t.Errorf("%s imports %s, which is not there", name, to)
			} else if floor := floorOf(to); floor != from && !slices.Contains(floors[from], floor) {
				t.Errorf("%s imports %s: modules of %s may not", name, to, from)
			}
		}
	}
}

// modules lists for each module of the faces, without tests and what only these need, the modules that it imports.
func modules(t *testing.T) map[string][]string {
	t.Helper()
	graph := map[string][]string{}
	web := os.DirFS("../../../web")
	for _, face := range []string{"ui", "addin", "builder", "console", "demo"} {
		err := fs.WalkDir(web, face, func(name string, _ fs.DirEntry, err error) error {
			if err != nil || path.Ext(name) != ".mjs" || strings.HasSuffix(name, ".test.mjs") {
				return err
			}
			text, err := fs.ReadFile(web, name)
			graph[name] = []string{}
			for _, found := range imported.FindAllSubmatch(text, -1) {
				graph[name] = append(graph[name], path.Join(path.Dir(name), string(found[1])+string(found[2])))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(graph) < 100 {
		t.Fatalf("%d modules", len(graph))
	}
	return graph
}

// floorOf returns the floor of a module, or its folder if that is on none.
func floorOf(name string) string {
	for folder := path.Dir(name); folder != "."; folder = path.Dir(folder) {
		if _, ok := floors[folder]; ok {
			return folder
		}
	}
	return path.Dir(name)
}
