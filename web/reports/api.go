package reports

import (
	"log/slog"

	"mooring/refresh"
	"mooring/storage"
)

// API serves reports. All are required.
type API struct {
	Store  *storage.Store
	Engine *refresh.Engine
	Log    *slog.Logger
}
