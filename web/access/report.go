package access

import (
	"context"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/auth"
	"mooring/web/request"
)

// Demand checks a caller's level on an asset: what may not be read is not found, what may be read but not more is forbidden.
func Demand(have, want record.Level, noun string) error {
	switch {
	case have < record.MayRead:
		return request.NotFound(noun)
	case have < want:
		return placements.Errorf(placements.CodeForbidden,
			"This token may read the %s but not change it: ask for a token with more actions.", noun)
	}
	return nil
}

// MayRead is the access check of operations that need only read access to a report.
func MayRead(c *auth.Caller, r *storage.Report) error {
	return Demand(c.Level(&r.Definition), record.MayRead, "report")
}

// All refuses a caller whose token does not let them read every report of the deployment: what is counted over all.
func All(c *request.Call, what string) error {
	if c.Caller.OnReport(0, nil) >= record.MayRead {
		return nil
	}
	return placements.Errorf(placements.CodeForbidden,
		"%s are counted over all reports, and your token shows you some: ask for a token with the action ReportRead.", what)
}

// Report loads the path's report if the caller may read it.
func Report(ctx context.Context, store *storage.Store, c *request.Call) (*storage.Report, error) {
	id, err := c.PathID("reportId", "report")
	if err != nil {
		return nil, err
	}
	r, err := store.Reports().Get(ctx, c.At, id)
	if err != nil {
		return nil, request.Absent(err, "report")
	}
	return r, MayRead(c.Caller, r)
}

// Hold keeps others from deleting reports, or referring to them, until the request is answered. A request holds once.
func Hold(ctx context.Context, store *storage.Store, c *request.Call, reports ...int64) error {
	if c.Holds() || len(reports) == 0 {
		return nil
	}
	release, err := store.Reports().HoldReferences(ctx, c.At, reports...)
	if err == nil {
		c.Hold(release)
	}
	return err
}

// OneTarget refuses a target that is named twice.
func OneTarget(t record.RunTarget) error {
	if t.PlacementID != "" && t.ExternalWorkbookID != "" {
		return placements.Errorf(placements.CodeInvalid, "Send placementId or externalWorkbookId, not both.")
	}
	return nil
}

// MayReadPlaced reports whether the caller may read the report of a placement in a spreadsheet.
func MayReadPlaced(c *auth.Caller, d record.DocumentPlacement) bool {
	return c.InDeployment(d.DeploymentID) && c.Level(d.Definition) >= record.MayRead
}

// ReportEdition is the version of a report that ETags name.
func ReportEdition(r *record.ReportHead) request.Edition {
	return request.Edition{Kind: "report", Deployment: r.DeploymentID, ID: r.ID, CreatedAt: r.CreatedAt, Version: r.Version}
}
