package runs

import (
	"mooring/refresh"
	"mooring/storage"
)

// API serves runs. Both are required.
type API struct {
	Store  *storage.Store
	Engine *refresh.Engine
}
