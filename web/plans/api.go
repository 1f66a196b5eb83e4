package plans

import (
	"mooring/refresh"
	"mooring/storage"
)

// API serves plans. Both are required.
type API struct {
	Store  *storage.Store
	Engine *refresh.Engine
}
