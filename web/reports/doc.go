// Package reports is the room of reports: who may make, change, share and delete them, the versions of their definitions that are kept, and the
// tables that their queries return.
package reports
