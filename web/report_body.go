package web

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/bind"
	"mooring/web/members"
	"mooring/web/sheet"
)

// reportInput is the body of create, update and upsert (interface.md, Report request body).
type reportInput struct {
	record.ReportInput
	expected   placements.Optional[int64]
	noWorkbook bool // workbookId names none that the caller may read
}

func (b *reportInput) members(o *bind.Object) {
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
var reportKeys = bind.Names(new(reportInput).members)

func (b *reportInput) rules(s *Server, c *gin.Context, f *bind.Faults) (err error) {
	if b.ReadBack {
		b.SpreadsheetKeys = record.SpreadsheetKeys{}
	}
	if b.noWorkbook, err = s.lacksWorkbook(c, b.WorkbookID.OrZero()); err != nil {
		return err
	}
	inPath := b.samePublicID(c.Param("publicId"), f)
	wrong := len(*f)+len(inPath) > 0
	// Without another fault storage judges the address and the publicId, and whether the workbook is a fault depends on the report as stored.
	if wrong || b.noWorkbook {
		faults, err := s.storedFaults(c, b)
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
func (b *reportInput) samePublicID(inPath string, f *bind.Faults) bind.Faults {
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
func (s *Server) storedFaults(c *gin.Context, b *reportInput) ([]placements.Detail, error) {
	if c.Param("reportId") != "" {
		r, err := s.readable(c)
		switch {
		case err == nil && levelOn(current(c).Caller, &r.Definition) >= mayEdit:
			return r.Faults(b.ReportInput), nil
		case err != nil && placements.CodeOf(err) != placements.CodeNotFound:
			return nil, err
		}
	}
	return placements.DetailsOf(b.CheckPlace(c.Request.Method == http.MethodPost)), nil
}

// lacksWorkbook reports whether an id names a workbook that does not exist, or that the caller may not read; 0 names none.
func (s *Server) lacksWorkbook(c *gin.Context, id int64) (bool, error) {
	if id == 0 {
		return false, nil
	}
	wb, err := s.store.Workbooks().Get(c.Request.Context(), current(c).deployment(), id)
	if errors.Is(err, storage.ErrNotFound) {
		return true, nil
	}
	return err == nil && current(c).Caller.OnWorkbook(wb.CreatedBy) < mayRead, err
}

func (b *reportInput) workbookFaults() bind.Faults {
	if !b.noWorkbook {
		return nil
	}
	const message = "names no workbook here that this token may read: create it first, name another one, or send null"
	return bind.Faults{{Pointer: "/workbookId", Code: placements.CodeNoWorkbook, Message: message}}
}

// inWorkbook refuses a workbook that the caller may not read, but for one that the report is in already: what was read may be sent back.
func (b *reportInput) inWorkbook(stored *int64) error {
	if !b.noWorkbook || stored != nil && *stored == b.WorkbookID.OrZero() {
		return nil
	}
	return placements.Faulty(b.workbookFaults()...)
}

// mayChangeReport is the access check of writes, asked with the report as stored: the caller's level, then If-Match, then
// expectedVersion.
func mayChangeReport(c *gin.Context, r *storage.Report, want level, expected placements.Optional[int64]) error {
	if err := demand(levelOn(current(c).Caller, &r.Definition), want, "report"); err != nil {
		return err
	}
	if err := ifMatch(c, reportEdition(&r.ReportHead)); err != nil {
		return err
	}
	return expectVersion(expected, r.Version)
}

// mayRedefine is the access check of an update with that body.
func mayRedefine(c *gin.Context, r *storage.Report, body *reportInput) error {
	if err := mayChangeReport(c, r, mayEdit, body.expected); err != nil {
		return err
	}
	return body.inWorkbook(r.WorkbookID)
}

// mayStartReport is the access check of an upsert that would create: there is no version yet that the caller could mean. A caller who
// could not read such a report is not told that there is none.
func mayStartReport(c *gin.Context, body *reportInput) error {
	caller := current(c).Caller
	if caller.OnReport(0, nil) < mayRead {
		return notFound("report")
	}
	if err := mayCreateReport(caller); err != nil {
		return err
	}
	if err := expectNone(c, body.expected); err != nil {
		return err
	}
	return body.inWorkbook(nil)
}

// reportAnswer is a report with the keys that its operation adds.
type reportAnswer struct {
	*record.ReportView
	extra []extraKey
}

// written is the answer to a write that returned this.
func written(r *storage.Report, err error) (reportAnswer, error) {
	if err != nil {
		return reportAnswer{}, err
	}
	return reportAnswer{ReportView: r.View()}, nil
}

// reports are how the operations on a report answer.
var reports = resource[reportAnswer]{"reportId", "report", (*Server).answerReport}

// answerReport answers with the wire form of r and its ETag.
func (s *Server) answerReport(c *gin.Context, r reportAnswer) error {
	room, _ := s.rooms.Get().(*[]byte)
	if room == nil {
		room = new([]byte)
	}
	body, err := appendReport((*room)[:0], r.ReportView, levelOn(current(c).Caller, &r.Definition), r.extra...)
	if err != nil {
		return err
	}
	sayEffect(c, r.Effect)
	err = answerTagged(c, reportEdition(&r.ReportHead), body)
	if *room = body; cap(body) <= maxRoom {
		s.rooms.Put(room)
	}
	return err
}

// maxRoom is the largest buffer of an answer that is kept for the next one.
const maxRoom = 64 << 10

// appendReport appends the wire form of r for a caller with that level, with extra keys at its end. What is stored as JSON passes
// through as it is.
func appendReport(body []byte, r *record.ReportView, l level, extra ...extraKey) ([]byte, error) {
	definition, err := r.DefinitionJSON()
	if err != nil {
		return nil, err
	}
	body = slices.Grow(body, len(definition)+reportRoom+roomFor(r.Placements, extra))
	body = strconv.AppendInt(append(body, `{"id":`...), r.ID, 10)
	body = strconv.AppendInt(append(body, `,"deploymentId":`...), r.DeploymentID, 10)
	body = sheet.AppendText(append(body, `,"publicId":`...), r.PublicID)
	body = sheet.AppendText(append(body, `,"type":`...), r.Type)
	body = strconv.AppendInt(append(body, `,"userId":`...), r.UserID, 10)
	body = appendMembers(body, definition)
	body = append(body, r.LastRefresh...)
	body = strconv.AppendBool(append(body, `,"canEdit":`...), l >= mayEdit)
	body = strconv.AppendBool(append(body, `,"canManage":`...), l >= mayManage)
	// The service keeps no folders: the path of every report is empty.
	body = append(body, `,"folderPath":[],"externalWorkbookPlacements":`...)
	if body, err = appendPlacements(body, r.Placements, r.CurrentChecksum); err != nil {
		return nil, err
	}
	if r.ManagedBy != nil {
		by, err := encode(r.ManagedBy)
		if err != nil {
			return nil, err
		}
		body = append(append(body, `,"managedBy":`...), by...)
	}
	for _, e := range extra {
		body = append(sheet.AppendText(append(body, ','), e.name), ':')
		body = append(body, e.json...)
	}
	return append(body, '}'), nil
}

// reportRoom is about what a report's answer has beside its definition, its placements and extra keys.
const reportRoom = 768

// roomFor is about what placements and extra keys take.
func roomFor(list []record.PlacementView, extra []extraKey) (bytes int) {
	for _, p := range list {
		bytes += len(p.JSON) + 64
	}
	for _, e := range extra {
		bytes += len(e.name) + len(e.json) + 8
	}
	return bytes
}

// extraKey is a key that one operation adds to the report that it answers with.
type extraKey struct {
	name string
	json []byte
}

// appendPlacements appends the placements of a report as a JSON array.
func appendPlacements(body []byte, list []record.PlacementView, currentQueryChecksum string) ([]byte, error) {
	var err error
	body = append(body, '[')
	for i, p := range list {
		if i > 0 {
			body = append(body, ',')
		}
		if body, err = p.Append(body, currentQueryChecksum); err != nil {
			return nil, err
		}
	}
	return append(body, ']'), nil
}
