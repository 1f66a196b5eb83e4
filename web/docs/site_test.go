package docs_test

import (
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
		{"the index names pages by their titles", "", `<a href="docs/sources">Sources</a>`},
		{"the index has their first paragraphs", "", `<dd>Where results come from.</dd>`},
		{"a page is titled", "sources", `<title>Sources</title>`},
		{"headings can be linked to", "sources", `<h2 id="cube">Cube</h2>`},
		{"a link to another page's file leads to the page", "sources", `<a href="spreadsheets#excel-files">`},
		{"a link to a file that is no page has no address", "sources", `<a href="">the start</a>`},
		{"a link within the page stays", "sources", `<a href="#cube">`},
		{"a link elsewhere stays", "sources", `<a href="https://go.dev">`},
		{"tables are tables", "sources", "<td>1</td>\n<td><code>&lt;2&gt;</code></td>"},
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
	if page, _ := site.Page("sources"); strings.Contains(string(page), "<script") {
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
