// Package web is the HTTP interface. It knows HTTP and JSON; the rules are in placements, the records in storage, the runs in refresh.
//
// A request goes one way: route, authenticate, bind, decide, one transaction, render. The way is package request, the floor under the rooms:
// a room is a package with the operations on one kind of asset, named as in their paths, and its routes say of each operation its scope, what it
// loads and who may, its body and what it does. This package mounts the rooms and has the pages. What goes out is described in openapi.json, which
// the tests hold every answer to.
//
// Beside the rooms stand what several of them need: who calls in gate and auth, what a caller may do with an asset in access, runs as they are
// shown in history, actions on many assets in bulk, the reading of bodies in bind, what several bodies hold in members, the JSON of tables in sheet,
// the rules of a draft in dashboard. The pages are in docs, what is counted in metrics, a generated client in client.
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
