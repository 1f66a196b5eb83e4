package record

import (
	"errors"

	"mooring/placements"
)

// Effect is what a write did to a record.
type Effect int

// The effects of a write; what was only read is unchanged.
const (
	Unchanged Effect = iota
	Created
	Updated
)

func (e Effect) String() string { return [...]string{"unchanged", "created", "updated"}[e] }

// ManagedBy says which project manages an asset.
type ManagedBy = placements.ManagedBy

// ErrNotFound says that there is no such asset or run in the deployment.
var ErrNotFound = errors.New("not found")
