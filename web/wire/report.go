package wire

import (
	"slices"
	"strconv"
	"sync"

	"mooring/storage/record"
	"mooring/web/access"
	"mooring/web/request"
	"mooring/web/sheet"
)

// ReportAnswer is the answer with a report, under its ETag, with the keys that the operation adds.
type ReportAnswer struct {
	*record.ReportView
	Extra []Extra
}

// Send implements request.Answer.
func (r ReportAnswer) Send(c *request.Call) error {
	room, _ := buffers.Get().(*[]byte)
	if room == nil {
		room = new([]byte)
	}
	body, err := AppendReport((*room)[:0], r.ReportView, c.Caller.Level(&r.Definition), r.Extra...)
	if err != nil {
		return err
	}
	err = request.Tagged{Edition: access.ReportEdition(&r.ReportHead), Effect: r.Effect, JSON: body}.Send(c)
	if *room = body; cap(body) <= maxRoom {
		buffers.Put(room)
	}
	return err
}

// buffers are those of answers that were sent, as *[]byte.
var buffers sync.Pool

// maxRoom is the largest buffer of an answer that is kept for the next one.
const maxRoom = 64 << 10

// AppendReport appends the wire form of r for a caller with that level, with extra keys at its end. What is stored as JSON passes
// through as it is.
func AppendReport(body []byte, r *record.ReportView, l record.Level, extra ...Extra) ([]byte, error) {
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
	body = strconv.AppendBool(append(body, `,"canEdit":`...), l >= record.MayEdit)
	body = strconv.AppendBool(append(body, `,"canManage":`...), l >= record.MayManage)
	// The service keeps no folders: the path of every report is empty.
	body = append(body, `,"folderPath":[],"externalWorkbookPlacements":`...)
	if body, err = appendPlacements(body, r.Placements, &r.Definition); err != nil {
		return nil, err
	}
	if r.ManagedBy != nil {
		by, err := record.EncodeBytes(r.ManagedBy)
		if err != nil {
			return nil, err
		}
		body = append(append(body, `,"managedBy":`...), by...)
	}
	for _, e := range extra {
		body = append(sheet.AppendText(append(body, ','), e.Name), ':')
		body = append(body, e.JSON...)
	}
	return append(body, '}'), nil
}

// reportRoom is about what a report's answer has beside its definition, its placements and extra keys.
const reportRoom = 768

// roomFor is about what placements and extra keys take.
func roomFor(list []record.PlacementView, extra []Extra) (bytes int) {
	for _, p := range list {
		bytes += len(p.JSON) + 64
	}
	for _, e := range extra {
		bytes += len(e.Name) + len(e.JSON) + 8
	}
	return bytes
}

// Extra is a key that one operation adds to the report that it answers with.
type Extra struct {
	Name string
	JSON []byte
}

// appendPlacements appends the placements of a report as a JSON array.
func appendPlacements(body []byte, list []record.PlacementView, of *record.Definition) ([]byte, error) {
	var err error
	body = append(body, '[')
	for i, p := range list {
		if i > 0 {
			body = append(body, ',')
		}
		if body, err = p.Append(body, of); err != nil {
			return nil, err
		}
	}
	return append(body, ']'), nil
}

// appendMembers appends the members of a JSON object to one that has some already.
func appendMembers(body []byte, object string) []byte {
	if members := object[1 : len(object)-1]; members != "" {
		body = append(append(body, ','), members...)
	}
	return body
}
