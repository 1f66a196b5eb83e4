package refresh

import _ "embed"

//go:embed README.md
var readme string

// Readme returns the page on refreshing, in Markdown.
func Readme() string { return readme }
