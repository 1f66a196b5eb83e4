package authoring

import (
	"mooring/refresh"
	"mooring/storage/record/portable"
)

// previewChanges is what saving would change, as answers show it.
type previewChanges struct {
	Columns   *portable.ColumnDiff `json:"columns,omitempty"`
	Documents []string             `json:"documents"`
	Blocks    int                  `json:"blocks"`
}

func changesOf(c *refresh.DraftChanges) *previewChanges {
	if c == nil {
		return nil
	}
	return &previewChanges{c.Columns, append([]string{}, c.Documents...), c.Blocks}
}
