// Package xml reads XML as tokens that together are the document's bytes, and edits documents by replacing byte ranges, so that
// nothing else of them changes. It knows the alternatives of Office documents and no other vocabulary.
package xml
