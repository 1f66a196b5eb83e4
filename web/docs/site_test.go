package docs_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"mooring/web/docs"
)

// house is two pages that name each other and a file that is no page.
var house = []docs.Page{
	{Name: "sources", File: "refresh/source/README.md", Text: "# Sources\n\nWhere `results` come from.\n\n## Cube\n\n" +
		"See [spreadsheets](../host/README.md#excel-files), [the start](../../README.md), [below](#cube), [Go](https://go.dev).\n" +
		"<script>alert(1)</script>\n\n| a | b |\n|---|---|\n| 1 | `<2>` |\n"},
	{Name: "spreadsheets", File: "refresh/host/README.md", Text: "# Spreadsheets\n\nWhere results go.\n\n## Excel files\n"},
}

func TestPage(t *testing.T) {
	site, err := docs.New(house)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, page, holds string }{
		{"the index names pages by their titles", "", `<a href="docs/sources">Sources</a></dt>`},
		{"the index has their first paragraphs", "", `<dd>Where results come from.</dd>`},
		{"a page is titled", "sources", `<title>Sources</title>`},
		{"headings can be linked to", "sources", `<h2 id="cube">Cube <a class="anchor" href="#cube" aria-label="Link to this section"></a></h2>`},
		{"a link to another page's file leads to the page", "sources", `<a href="spreadsheets#excel-files">`},
		{"a link to a file that is no page has no address", "sources", `<a href="">the start</a>`},
		{"a link within the page stays", "sources", `<a href="#cube">`},
		{"a link elsewhere stays", "sources", `<a href="https://go.dev">`},
		{"tables are tables", "sources", "<td>1</td>\n<td><code>&lt;2&gt;</code></td>"},
		{"the current page is marked", "sources", `<a href="../docs/sources" aria-current="page">Sources</a>`},
		{"the contents of a page are listed", "sources", `<details><summary>On this page</summary>` + "\n" + `<ul><li><a href="#cube">Cube</a></li></ul>`},
		{"the index is marked on its own page", "", `<a href="docs" aria-current="page">Mooring</a>`},
		{"other pages are in reach", "sources", `<a href="../docs/spreadsheets">Spreadsheets</a>`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := site.Page(tt.page)
			if !ok || !strings.Contains(string(got), tt.holds) {
				t.Errorf("%q lacks %s:\n%s", tt.page, tt.holds, got)
			}
		})
	}
	if page, _ := site.Page("sources"); strings.Contains(string(page), "<script>") {
		t.Errorf("HTML of the Markdown is in the page:\n%s", page)
	}
	if _, ok := site.Page("none"); ok {
		t.Error("there is a page that nothing made")
	}
}

func TestNewRefusesAPageWithoutATitle(t *testing.T) {
	_, err := docs.New([]docs.Page{{Name: "x", File: "x/README.md", Text: "Sources\n"}})
	if err == nil || !strings.Contains(err.Error(), "x/README.md: the first line is no title") {
		t.Errorf("error %v", err)
	}
}

// The search has every section of every page, with its text and without the marks of Markdown.
func TestSearchHasEverySection(t *testing.T) {
	site, err := docs.New(house)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	site.Asset(w, httptest.NewRequest("GET", "/docs/assets/search.json", nil), "search.json")
	var found []struct{ Page, ID, Title, Section, Text string }
	if err := json.Unmarshal(w.Body.Bytes(), &found); err != nil || len(found) != 4 {
		t.Fatalf("%v, %s", err, w.Body)
	}
	if got := found[0]; got.Page != "sources" || got.ID != "sources" || got.Section != "" || got.Text != "Where results come from." {
		t.Errorf("a page begins with %+v", got)
	}
	if got := found[1]; got.ID != "cube" || got.Section != "Cube" || !strings.HasPrefix(got.Text, "See spreadsheets, the start, below, Go.") ||
		!strings.HasSuffix(got.Text, "a b 1 <2>") {
		t.Errorf("a section is %+v", got)
	}
	r := httptest.NewRequest("GET", "/docs/assets/search.json", nil)
	r.Header.Set("If-None-Match", w.Header().Get("ETag"))
	if w = httptest.NewRecorder(); w.Header().Get("ETag") != "" {
		t.Fatal("a new answer has a tag")
	}
	if site.Asset(w, r, "search.json"); w.Code != http.StatusNotModified {
		t.Errorf("again: status %d", w.Code)
	}
}

// Analysts find every state of a block in the words that the pane and the console show.
func TestAnalystsFindEveryState(t *testing.T) {
	words, err := os.ReadFile("../ui/text.mjs")
	if err != nil {
		t.Fatal(err)
	}
	page := docs.People()[0].Text
	for list, before := range map[string]string{"statuses": "\n### ", "waits": "\n| "} {
		_, rest, found := strings.Cut(string(words), "\n  "+list+": {\n")
		rest, _, _ = strings.Cut(rest, "\n  },")
		shown := regexp.MustCompile(`"([^"]*)",`).FindAllStringSubmatch(rest, -1)
		if !found || len(shown) < 5 {
			t.Fatalf("%s: %q", list, shown)
		}
		for _, word := range shown {
			if !strings.Contains(page, before+word[1]) {
				t.Errorf("%s: no %q in the page for analysts", list, before+word[1])
			}
		}
	}
}

// The links of the pages for people lead somewhere.
func TestLinksOfPeoplesPages(t *testing.T) {
	site, err := docs.New(append(docs.People(), docs.Page{Name: "code", File: "cmd/mooring/ascode/README.md", Text: "# Code\n"}))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range docs.People() {
		page, _ := site.Page(p.Name)
		for _, link := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(string(page), -1) {
			name, id, _ := strings.Cut(link[1], "#")
			if name == "" {
				name = p.Name
			}
			to, ok := site.Page(name)
			if id != "" && (!ok || !strings.Contains(string(to), ` id="`+id+`"`)) || link[1] == "" {
				t.Errorf("%s: %q leads nowhere", p.Name, link[1])
			}
		}
	}
}
