package source

import _ "embed"

//go:embed README.md
var readme string

// Readme returns the page on sources, in Markdown.
func Readme() string { return readme }
