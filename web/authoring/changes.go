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
	Stopped   []stoppedBlock       `json:"stopped,omitempty"`
}

// stoppedBlock is a block that is not refreshed any more until its parameters are set.
type stoppedBlock struct {
	Placement string `json:"placement"`
	Message   string `json:"message"`
}

func changesOf(c *refresh.DraftChanges) *previewChanges {
	if c == nil {
		return nil
	}
	out := &previewChanges{Columns: c.Columns, Documents: append([]string{}, c.Documents...), Blocks: c.Blocks}
	for _, one := range c.Stopped {
		out.Stopped = append(out.Stopped, stoppedBlock(one))
	}
	return out
}
