package placements

import (
	"fmt"
	"path"
	"slices"
)

// Documents bounds the spreadsheets in which a deployment's reports may be placed: patterns of their ids by host, as path.Match reads them,
// in which * and ? stand for no slash. A host without an entry has no bounds; one with an empty list has no spreadsheet.
type Documents map[Host][]string

// Allow reports whether reports may be placed in the spreadsheet of that id.
func (d Documents) Allow(h Host, id string) bool {
	patterns, bounded := d[h]
	return !bounded || slices.ContainsFunc(patterns, func(pattern string) bool {
		matches, err := path.Match(pattern, id)
		return err == nil && matches
	})
}

// CheckPattern returns what is wrong with a pattern of Documents.
func CheckPattern(pattern string) error {
	if pattern == "" {
		return fmt.Errorf("a pattern is empty: write a document's id, or * for all")
	}
	if _, err := path.Match(pattern, ""); err != nil {
		return fmt.Errorf("%q is no pattern: * stands for any characters but /, ? for one, [a-z] for one of these, \\ quotes the next",
			pattern)
	}
	return nil
}
