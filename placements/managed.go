package placements

// ManagedBy says which project manages an asset as code (faces.md §5). A change by anyone else leaves it as it is.
type ManagedBy struct {
	Project   string `json:"project"`
	AppliedAt string `json:"appliedAt"` // the last time that the project changed the asset: RFC 3339, UTC, with milliseconds
	Revision  int64  `json:"revision"`  // which apply of the project that was, counted from 1
}

// By reports whether that project manages the asset.
func (m *ManagedBy) By(project string) bool { return m != nil && m.Project == project }
