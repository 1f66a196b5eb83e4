package record

import (
	"errors"

	"mooring/placements"
)

// WriteEffect is what a write did to a record.
type WriteEffect int

// The effects of a write; what was only read is unchanged.
const (
	Unchanged WriteEffect = iota
	Created
	Updated
)

func (e WriteEffect) String() string { return [...]string{"unchanged", "created", "updated"}[e] }

// ManagedBy says which project manages an asset.
type ManagedBy = placements.ManagedBy

// ErrNotFound says that there is no such asset or run in the deployment.
var ErrNotFound = errors.New("not found")
