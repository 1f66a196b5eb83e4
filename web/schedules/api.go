package schedules

import (
	"log/slog"

	"mooring/refresh"
	"mooring/storage"
)

// API serves schedules.
type API struct {
	store  *storage.Store
	engine *refresh.Engine
	finder *finder
	view   *view
}

// New makes an API.
func New(store *storage.Store, engine *refresh.Engine, log *slog.Logger) *API {
	f := &finder{store}
	return &API{store: store, engine: engine, finder: f, view: &view{store, engine, log, f}}
}
