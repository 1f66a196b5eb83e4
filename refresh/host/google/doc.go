// Package google is the host of Google Sheets, through its API v4 (a service account or another OAuth credential).
//
// Sheets is the host. A session reads all blocks of a document in one request and writes all patches in one batchUpdate, which the
// service applies whole or not at all; what is too large for one request is sent in parts, the first of which moves the markers. A
// placedBlock is a patch that is about to be written, a foundMarker a named range that marks a block. Requests take their quota before
// they are sent, and wait when the service says so.
//
// Sheets is no host.Finder: the id by which an add-on knows a spreadsheet is the one under which it is opened here.
package google
