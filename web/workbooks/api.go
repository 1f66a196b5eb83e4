package workbooks

import (
	"log/slog"

	"mooring/storage"
)

// API serves workbooks. Both are required.
type API struct {
	Store *storage.Store
	Log   *slog.Logger
}
