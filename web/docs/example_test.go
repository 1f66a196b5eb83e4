package docs_test

import (
	"fmt"
	"strings"

	"mooring/web/docs"
)

func ExampleSite_Page() {
	site, err := docs.New([]docs.Page{{Name: "sources", File: "refresh/source/README.md", Text: "# Sources\n\nSQLite and *others*.\n"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	page, _ := site.Page("sources")
	_, body, _ := strings.Cut(string(page), "<main>\n")
	fmt.Print(body)
	// Output:
	// <h1 id="sources">Sources</h1>
	// <p>SQLite and <em>others</em>.</p>
	// </main>
	// </html>
}
