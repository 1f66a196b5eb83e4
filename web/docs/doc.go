// Package docs renders what the server says about itself as HTML: pages written in Markdown, and a viewer of the OpenAPI
// document. Everything is embedded; a browser needs nothing from elsewhere, and Policy holds it to that.
//
// A page is one Markdown file of the repository, a site is the pages together with their index, the viewer is Swagger UI. Two of the pages are
// the package's own, for people who work with blocks: see [People]. The search looks through all sections in the browser.
package docs
