package reports

import (
	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/access"
	"mooring/web/auth"
	"mooring/web/request"
)

// mayChange is the access check of writes, asked with the report as stored: the caller's level, then If-Match, then
// expectedVersion.
func mayChange(c *request.Call, r *storage.Report, want record.Level, expected placements.Optional[int64]) error {
	if err := access.Demand(c.Caller.Level(&r.Definition), want, "report"); err != nil {
		return err
	}
	if err := c.Match(access.ReportEdition(&r.ReportHead)); err != nil {
		return err
	}
	return request.ExpectVersion(expected, r.Version)
}

// mayRedefine is the access check of an update with that body.
func mayRedefine(c *request.Call, r *storage.Report, body *reportBody) error {
	if err := mayChange(c, r, record.MayEdit, body.expected); err != nil {
		return err
	}
	return body.inWorkbook(r.WorkbookID)
}

// mayStart is the access check of an upsert that would create: there is no version yet that the caller could mean. A caller who
// could not read such a report is not told that there is none.
func mayStart(c *request.Call, body *reportBody) error {
	caller := c.Caller
	if caller.OnReport(0, nil) < record.MayRead {
		return request.NotFound("report")
	}
	if err := mayCreate(caller); err != nil {
		return err
	}
	if err := c.ExpectNone(body.expected); err != nil {
		return err
	}
	return body.inWorkbook(nil)
}

// mayCreate refuses a caller whose token may not create a report.
func mayCreate(c *auth.Caller) error {
	if !c.MayCreateReport() {
		return placements.Errorf(placements.CodeForbidden,
			"Creating a report needs the action ReportEdit in the token itself: ask for a token with it.")
	}
	return nil
}
