// Package placements is the room of placements: where reports stand in spreadsheets, what runs changed there and what people edited, why some are
// not refreshed, and where the spreadsheets are.
package placements
