// Package google is the host of Google Sheets, through its API v4. Sheets is the host; a placedBlock is a patch that is about to be
// written, a foundMarker a named range that marks a block.
package google
