// Package wire is the JSON of a report as answers have it, whichever room answers with it. What is stored as JSON passes through as it is.
package wire
