package authoring

import (
	"context"

	"mooring/placements"
	"mooring/refresh"
	"mooring/storage"
	"mooring/web/auth"
	"mooring/web/request"
)

// API serves those who write queries. Both are required.
type API struct {
	Store  *storage.Store
	Engine *refresh.Engine
}

// mayAuthor refuses a caller whose token may not create a report: what a source has is for those who write queries.
func mayAuthor(c *auth.Caller) error {
	if !c.MayCreateReport() {
		return placements.Errorf(placements.CodeForbidden,
			"What the source has needs the action ReportEdit in the token itself: ask for a token with it.")
	}
	return nil
}

// note adds to the audit what the caller uses the source for.
func (a *API) note(ctx context.Context, c *request.Call, use string) error {
	return a.Store.NoteUse(ctx, c.At, use, c.Caller.Actor)
}
