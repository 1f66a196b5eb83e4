// Package workbooks is the room of workbooks: creating, reading, changing and deleting them, by id or slug, the draft of a workbook's dashboard,
// whose charts name reports of the deployment, and publishing it.
package workbooks
