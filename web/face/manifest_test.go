package face_test

import (
	"crypto/sha256"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mooring/web/face"
)

// published is the order that Microsoft's schemas want of the elements that stand together ([MS-OWEMXML]: OfficeAppManifestV1_1,
// TaskPaneAppVersionOverridesV1_0): an element that is out of it keeps the add-in from loading. Of a list, the order is free.
var published = map[string]string{
	"OfficeApp": "Id AlternateId Version ProviderName DefaultLocale DisplayName Description IconUrl HighResolutionIconUrl SupportUrl AppDomains Hosts " +
		"Requirements DefaultSettings Permissions Dictionary VersionOverrides",
	"Requirements":      "Sets Methods",
	"DefaultSettings":   "SourceLocation",
	"VersionOverrides":  "Description Requirements Hosts Resources WebApplicationInfo VersionOverrides",
	"DesktopFormFactor": "GetStarted FunctionFile ExtensionPoint",
	"GetStarted":        "Title Description LearnMoreUrl",
	"OfficeTab":         "Group",
	"Group":             "Label Icon Control",
	"Control":           "Label Supertip Icon Action",
	"Supertip":          "Title Description",
	"Action":            "TaskpaneId SourceLocation Title",
	"Resources":         "Images Urls ShortStrings LongStrings",
}

// element is an element of a manifest.
type element struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Children []element  `xml:",any"`
	Text     string     `xml:",chardata"`
}

func (e element) attr(name string) string {
	for _, a := range e.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// walk visits e and all below it.
func (e element) walk(visit func(element)) {
	visit(e)
	for _, c := range e.Children {
		c.walk(visit)
	}
}

func parseManifest(t *testing.T, publicURL string) element {
	t.Helper()
	m, ok := face.NewManifest(publicURL)
	text, err := m.Text(1, 7)
	if !ok || err != nil {
		t.Fatalf("no manifest for %s: %v", publicURL, err)
	}
	var root element
	d := xml.NewDecoder(strings.NewReader(string(text)))
	if err := d.Decode(&root); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Token(); err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	return root
}

func TestManifestKeepsTheSchemasOrder(t *testing.T) {
	root := parseManifest(t, "https://mooring.example.com/a&b")
	if id := root.Children[0].Text; !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(id) {
		t.Errorf("id %q", id)
	}
	root.walk(func(e element) {
		order, known := published[e.XMLName.Local]
		if !known {
			return
		}
		last := -1
		for _, c := range e.Children {
			at := slices.Index(strings.Fields(order), c.XMLName.Local)
			if at < last || at < 0 {
				t.Errorf("%s in %s stands where the schema has it not", c.XMLName.Local, e.XMLName.Local)
			}
			last = at
		}
	})
}

// templates are the hashes of the templates, by their numbers: installed add-ins take a manifest anew only if its version grew.
var templates = map[int]string{1: "626e83218085834d"}

func TestManifestTemplateHasItsNumber(t *testing.T) {
	text, err := os.ReadFile("manifest.xml")
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%x", sha256.Sum256(text))[:16]; templates[face.ManifestTemplate] != got || len(templates) != face.ManifestTemplate {
		t.Errorf("the template has changed: raise ManifestTemplate, and add %s here", got)
	}
}

func TestManifestsVersion(t *testing.T) {
	version := func(publicURL string) (version string) {
		parseManifest(t, publicURL).walk(func(e element) {
			if e.XMLName.Local == "Version" {
				version = e.Text
			}
		})
		return version
	}
	if got := version("https://a.example.com"); got != "1.1.7.0" {
		t.Errorf("version %s", got)
	}
	a, _ := face.NewManifest("https://a.example.com")
	again, _ := face.NewManifest("https://a.example.com")
	b, _ := face.NewManifest("https://b.example.com")
	if a.Hash != again.Hash || a.Hash == b.Hash || a.Hash == "" {
		t.Errorf("hashes %s, %s, %s", a.Hash, again.Hash, b.Hash)
	}
}

// A workbook that says so opens with the pane of this id.
func TestManifestsPaneOpensWithTheDocument(t *testing.T) {
	var ids []string
	parseManifest(t, "https://a.example.com").walk(func(e element) {
		if e.XMLName.Local == "TaskpaneId" {
			ids = append(ids, e.Text)
		}
	})
	if !slices.Equal(ids, []string{"Office.AutoShowTaskpaneWithDocument"}) {
		t.Errorf("ids of panes: %q", ids)
	}
}

func TestManifestsResources(t *testing.T) {
	root := parseManifest(t, "https://mooring.example.com/a&b")
	most := map[string]int{"Images": 2048, "Urls": 2048, "ShortStrings": 125, "LongStrings": 250}
	defined, used := map[string]bool{}, map[string]bool{}
	root.walk(func(e element) {
		for _, c := range e.Children {
			if most[e.XMLName.Local] > 0 {
				defined[c.attr("id")] = true
				if len(c.attr("id")) > 32 || len(c.attr("DefaultValue")) > most[e.XMLName.Local] {
					t.Errorf("%s is too long", c.attr("id"))
				}
			}
		}
		if id := e.attr("resid"); id != "" {
			used[id] = true
		}
		if value := e.attr("DefaultValue"); strings.Contains(value, "://") && !strings.HasPrefix(value, "https://mooring.example.com/a&b/") {
			t.Errorf("an address elsewhere: %s", value)
		}
	})
	for id := range used {
		if !defined[id] {
			t.Errorf("%s is not among the resources", id)
		}
	}
	if len(used) != len(defined) {
		t.Errorf("used %v, defined %v", used, defined)
	}
}

func TestManifestIsOfOneAddress(t *testing.T) {
	a, b := parseManifest(t, "https://a.example.com").Children[0].Text, parseManifest(t, "https://b.example.com").Children[0].Text
	if again := parseManifest(t, "https://a.example.com").Children[0].Text; a == b || a != again {
		t.Errorf("ids %s, %s, %s", a, b, again)
	}
	for _, address := range []string{"", "http://a.example.com", "://"} {
		if _, ok := face.NewManifest(address); ok {
			t.Errorf("%q has a manifest", address)
		}
	}
}
