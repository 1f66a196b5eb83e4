// Package web is the HTTP interface. It knows HTTP and JSON; the rules are in placements, the records in storage, the runs in refresh.
//
// A request goes one way: route, authenticate, bind, decide, one transaction, render. routes.go is the table of all operations with what
// each needs before its handler runs; a file is named after the resource that its handlers serve. A handler returns an error, which
// errors.go alone turns into a status. What goes out is described in openapi.json, which the tests hold every answer to.
//
// Beside it stand what needs no route: who calls in auth, the reading of bodies in bind, what several bodies hold in members, the rules of a
// draft in dashboard, the pages in docs, what is counted in metrics, a generated client in client.
package web

import _ "embed"

//go:embed README.md
var readme string

// Readme returns the page on the interface, in Markdown.
func Readme() string { return readme }

//go:embed addin/README.md
var addinReadme string

// AddinReadme returns the page on the add-ins, in Markdown.
func AddinReadme() string { return addinReadme }

//go:embed console/README.md
var consoleReadme string

// ConsoleReadme returns the page on the console, in Markdown.
func ConsoleReadme() string { return consoleReadme }
