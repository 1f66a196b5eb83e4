package reports

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/access"
	"mooring/web/bind"
	"mooring/web/members"
	"mooring/web/request"
)

// reportBody is the body of create, update and upsert (interface.md, Report request body).
type reportBody struct {
	record.ReportInput
	expected   placements.Optional[int64]
	noWorkbook bool // workbookId names none that the caller may read
}

// Members implements request.Body.
func (b *reportBody) Members(o *bind.Object) {
	bind.OptionalText(o, "publicId", &b.PublicID, bind.AnyLength, record.PublicIDFault)
	members.Definition(o, &b.ReportInput)
	o.OptionalWhole("workbookId", &b.WorkbookID, 1)
	bind.OptionalText(o, "workbookName", &b.WorkbookName, bind.AnyLength)
	bind.OptionalText(o, "externalWorkbookId", &b.ExternalWorkbookID, bind.AnyLength)
	bind.OptionalText(o, "sheetId", &b.SheetID, bind.AnyLength)
	bind.OptionalText(o, "resultLocation", &b.ResultLocation, bind.AnyLength)
	bind.OptionalText(o, "endResultCell", &b.EndResultCell, bind.AnyLength)
	bind.Optional(o, "resultChecksum", &b.ResultChecksum, members.Checksum)
	bind.OptionalChoice(o, "host", &b.Host, members.Hosts)
	o.OptionalWhole("expectedVersion", &b.expected, 1)
	for _, key := range readBack {
		o.Seen(key, &b.ReadBack)
	}
	o.Ignored("id", "deploymentId", "type", "createdAt", "updatedAt", "createdBy", "userId", "refreshedAt", "refreshedBy", "user",
		"refreshedByUser", "canEdit", "canManage", "currentQueryChecksum", "folderPath", "externalWorkbookPlacements", "rolesWithAccess",
		"version", "updatedBy", "overlaps", "removedPlacement", "managedBy")
}

// readBack are keys that only an object has which was read from the service: its spreadsheet keys tell what was recorded, its publicId what
// was shown, and ask for nothing.
var readBack = []string{"externalWorkbookPlacements", "id", "createdAt"}

// reportKeys are the keys that a report may be sent back with.
var reportKeys = bind.Names(new(reportBody).Members)

// read fills in with the request's body. All faults are in one error.
func (a *API) read(ctx context.Context, c *request.Call, in *reportBody) error {
	faults, err := c.Bind(in)
	if err != nil {
		return err
	}
	if err := a.judge(ctx, c, in, &faults); err != nil {
		return err
	}
	return request.Faulty(faults)
}

// judge adds to f what is wrong with a body beside its shape, as far as the storage knows.
func (a *API) judge(ctx context.Context, c *request.Call, b *reportBody, f *bind.Faults) (err error) {
	if b.ReadBack {
		b.SpreadsheetKeys = record.SpreadsheetKeys{}
	}
	f.Join(placements.ParameterFaults(b.Parameters.OrZero())...)
	b.Judge = func(merged *record.Definition) []placements.Detail { return a.Engine.ParameterFaults(c.At, merged) }
	if b.noWorkbook, err = a.lacksWorkbook(ctx, c, b.WorkbookID.OrZero()); err != nil {
		return err
	}
	inPath := b.samePublicID(c.Param("publicId"), f)
	wrong := len(*f)+len(inPath) > 0
	// Without another fault storage judges the address and the publicId, and whether the workbook is a fault depends on the report as stored.
	if wrong || b.noWorkbook {
		faults, err := a.storedFaults(ctx, c, b)
		if err != nil {
			return err
		}
		f.Join(faults...)
	}
	if len(*f)+len(inPath) > 0 {
		f.Join(b.workbookFaults()...)
	}
	*f = append(*f, inPath...)
	return nil
}

// samePublicID checks that a body with a publicId has that of the path, if there is one there, and returns what is wrong with the path.
func (b *reportBody) samePublicID(inPath string, f *bind.Faults) bind.Faults {
	if inPath == "" {
		return nil
	}
	if b.PublicID.Sent && b.PublicID.OrZero() != inPath {
		message := fmt.Sprintf("The path says %.80s: send the same publicId, or none.", inPath)
		f.Join(placements.Detail{Pointer: "/publicId", Code: placements.CodePublicIDFixed, Message: message})
	}
	if code, message := record.PublicIDFault(inPath); message != "" {
		return bind.Faults{{Code: code, Message: "In the path: " + message}}
	}
	return nil
}

// storedFaults are those that storage would find in b: all of them where the path names a report that the caller may edit, else those that
// do not depend on one.
func (a *API) storedFaults(ctx context.Context, c *request.Call, b *reportBody) ([]placements.Detail, error) {
	if c.Param("reportId") != "" {
		r, err := access.Report(ctx, a.Store, c)
		switch {
		case err == nil && c.Caller.Level(&r.Definition) >= record.MayEdit:
			return r.Faults(b.ReportInput), nil
		case err != nil && placements.CodeOf(err) != placements.CodeNotFound:
			return nil, err
		}
	}
	return placements.DetailsOf(b.CheckPlace(c.Request.Method == http.MethodPost)), nil
}

// lacksWorkbook reports whether an id names a workbook that does not exist, or that the caller may not read; 0 names none.
func (a *API) lacksWorkbook(ctx context.Context, c *request.Call, id int64) (bool, error) {
	if id == 0 {
		return false, nil
	}
	wb, err := a.Store.Workbooks().Get(ctx, c.At, id)
	if errors.Is(err, storage.ErrNotFound) {
		return true, nil
	}
	return err == nil && c.Caller.OnWorkbook(wb.CreatedBy) < record.MayRead, err
}

func (b *reportBody) workbookFaults() bind.Faults {
	if !b.noWorkbook {
		return nil
	}
	const message = "names no workbook here that this token may read: create it first, name another one, or send null"
	return bind.Faults{{Pointer: "/workbookId", Code: placements.CodeNoWorkbook, Message: message}}
}

// inWorkbook refuses a workbook that the caller may not read, but for one that the report is in already: what was read may be sent back.
func (b *reportBody) inWorkbook(stored *int64) error {
	if !b.noWorkbook || stored != nil && *stored == b.WorkbookID.OrZero() {
		return nil
	}
	return placements.Faulty(b.workbookFaults()...)
}

// accessBody is the body of setAccess, which may be the report that has the list; an action that the service does not know is kept as it
// is (decisions.md §3).
type accessBody struct {
	roles    []record.RoleAccess
	expected placements.Optional[int64]
}

// Members implements request.Body.
func (b *accessBody) Members(o *bind.Object) {
	o.Required("rolesWithAccess")
	bind.Objects(o, "rolesWithAccess", &b.roles, members.MaxRoles, members.Role)
	o.OptionalWhole("expectedVersion", &b.expected, 1)
	o.Ignored(reportKeys...)
}
