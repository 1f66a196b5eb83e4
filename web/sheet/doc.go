// Package sheet is the JSON of tables: the rows of results, the sheets that add-ins send, and the plans of what they are to write.
package sheet
