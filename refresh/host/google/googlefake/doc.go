// Package googlefake is the part of the Google Sheets API v4 that a host needs, over HTTP, with the token endpoint. It is
// as strict as the published schema: an unknown member, parameter or field of a mask is refused, a batch is applied whole
// or not at all. It can be told to fail, and its documents can be edited as a person edits them.
package googlefake
