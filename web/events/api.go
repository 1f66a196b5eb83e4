package events

import (
	"log/slog"
	"time"

	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/request"
)

// API serves streams of events.
type API struct {
	store   *storage.Store
	flights *request.Flights
	log     *slog.Logger
	now     func() time.Time
	feeds   *broadcaster
}

// New makes an API whose streams are counted in flights, and end when those drain.
func New(store *storage.Store, flights *request.Flights, log *slog.Logger, now func() time.Time) *API {
	return &API{store, flights, log, now, &broadcaster{store: store, flights: flights, now: now, open: map[record.Deployment]*feed{}}}
}
