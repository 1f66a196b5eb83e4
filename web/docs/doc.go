// Package docs renders what the server says about itself as HTML: pages written in Markdown, and a viewer of the OpenAPI
// document. Everything is embedded; a browser needs nothing from elsewhere, and Policy holds it to that.
//
// A page is one Markdown file of the repository, a site is the pages together with their index, the viewer is Swagger UI.
package docs
