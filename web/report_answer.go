package web

import (
	"slices"
	"strconv"

	"github.com/gin-gonic/gin"

	"mooring/storage"
)

// reportAnswer is a report with the keys that its operation adds.
type reportAnswer struct {
	*storage.ReportView
	extra []extraKey
}

// reports are how the operations on a report answer.
var reports = resource[reportAnswer]{"reportId", "report", (*Server).answerReport}

// answerReport answers with the wire form of r and its ETag.
func (s *Server) answerReport(c *gin.Context, r reportAnswer) error {
	room, _ := s.rooms.Get().(*[]byte)
	if room == nil {
		room = new([]byte)
	}
	body, err := appendReport((*room)[:0], r.ReportView, current(c).Caller.level(&r.Definition), r.extra...)
	if err != nil {
		return err
	}
	sayEffect(c, r.Effect)
	err = answerTagged(c, r.Version, body)
	if *room = body; cap(body) <= maxRoom {
		s.rooms.Put(room)
	}
	return err
}

// maxRoom is the largest buffer of an answer that is kept for the next one.
const maxRoom = 64 << 10

// appendReport appends the wire form of r for a caller with that level, with extra keys at its end. What is stored as JSON passes
// through as it is.
func appendReport(body []byte, r *storage.ReportView, l level, extra ...extraKey) ([]byte, error) {
	definition, err := r.DefinitionJSON()
	if err != nil {
		return nil, err
	}
	body = slices.Grow(body, len(definition)+reportRoom+roomFor(r.Placements, extra))
	body = strconv.AppendInt(append(body, `{"id":`...), r.ID, 10)
	body = strconv.AppendInt(append(body, `,"deploymentId":`...), r.DeploymentID, 10)
	body = appendText(append(body, `,"publicId":`...), r.PublicID)
	body = appendText(append(body, `,"type":`...), r.Type)
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
	for _, e := range extra {
		body = append(appendText(append(body, ','), e.name), ':')
		body = append(body, e.json...)
	}
	return append(body, '}'), nil
}

// reportRoom is about what a report's answer has beside its definition, its placements and extra keys.
const reportRoom = 768

// roomFor is about what placements and extra keys take.
func roomFor(list []storage.PlacementView, extra []extraKey) (bytes int) {
	for _, p := range list {
		bytes += len(p.JSON) + 64
	}
	for _, e := range extra {
		bytes += len(e.name) + len(e.json) + 8
	}
	return bytes
}

// appendMembers appends the members of a JSON object to one that has some already.
func appendMembers(body []byte, object string) []byte {
	if members := object[1 : len(object)-1]; members != "" {
		body = append(append(body, ','), members...)
	}
	return body
}

// extraKey is a key that one operation adds to the report that it answers with.
type extraKey struct {
	name string
	json []byte
}

// appendPlacements appends the placements of a report as a JSON array.
func appendPlacements(body []byte, list []storage.PlacementView, currentQueryChecksum string) ([]byte, error) {
	var err error
	body = append(body, '[')
	for i, p := range list {
		if i > 0 {
			body = append(body, ',')
		}
		if body, err = appendPlacement(body, p, currentQueryChecksum); err != nil {
			return nil, err
		}
	}
	return append(body, ']'), nil
}

// appendPlacement appends the wire form of a placement: what is stored, and what is computed on read (decisions.md §6).
func appendPlacement(body []byte, p storage.PlacementView, currentQueryChecksum string) ([]byte, error) {
	own := p.JSON[:len(p.JSON)-1] // without its closing brace
	body = append(append(body, own...), `,"syncStatus":"`...)
	body = append(append(body, p.Status(currentQueryChecksum)...), '"')
	if p.LastRun != nil {
		run, err := encode(p.LastRun)
		if err != nil {
			return nil, err
		}
		body = append(append(body, `,"lastRun":`...), run...)
	}
	return append(body, '}'), nil
}
