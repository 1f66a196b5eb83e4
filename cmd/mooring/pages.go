package main

import (
	_ "embed"

	"mooring/refresh"
	"mooring/refresh/host"
	"mooring/refresh/source"
	"mooring/web"
	"mooring/web/docs"
)

//go:embed README.md
var readme string

//go:embed ascode/README.md
var readmeOfCode string

// pages renders what /docs shows: the folders' README files.
func pages() (*docs.Site, error) {
	return docs.New([]docs.Page{
		{Name: "operation", File: "cmd/mooring/README.md", Text: readme},
		{Name: "code", File: "cmd/mooring/ascode/README.md", Text: readmeOfCode},
		{Name: "refreshing", File: "refresh/README.md", Text: refresh.Readme()},
		{Name: "sources", File: "refresh/source/README.md", Text: source.Readme()},
		{Name: "spreadsheets", File: "refresh/host/README.md", Text: host.Readme()},
		{Name: "interface", File: "web/README.md", Text: web.Readme()},
	})
}
