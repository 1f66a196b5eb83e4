package main

import (
	_ "embed"

	"mooring/web/docs"
)

//go:embed README.md
var readme string

//go:embed ascode/README.md
var readmeOfCode string

// pages are those of /docs that are of the program itself: its folders' README files.
func pages() []docs.Page {
	return []docs.Page{
		{Name: "operation", File: "cmd/mooring/README.md", Text: readme},
		{Name: "code", File: "cmd/mooring/ascode/README.md", Text: readmeOfCode},
	}
}
