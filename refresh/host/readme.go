package host

import _ "embed"

//go:embed README.md
var readme string

// Readme returns the page on spreadsheets, in Markdown.
func Readme() string { return readme }
