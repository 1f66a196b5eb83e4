package placements

import (
	"log/slog"

	"mooring/refresh"
	"mooring/storage"
)

// API serves placements and the spreadsheets that they are in. Store and Log are required.
type API struct {
	Store  *storage.Store
	Engine *refresh.Engine // nil: there are no spreadsheet hosts here
	Log    *slog.Logger
}
