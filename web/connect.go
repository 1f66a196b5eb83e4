package web

import (
	"encoding/json"
	"slices"

	"github.com/gin-gonic/gin"

	"mooring/checksum"
	"mooring/placements"
	"mooring/storage"
)

// connectShape is the body of a connect (interface.md, Connect a report to the calling spreadsheet). What is required, and what texts and numbers may
// say, is placements' to judge.
var connectShape = object(append([]member{
	{name: "externalWorkbookId", shape: anyText},
	{name: "resultLocation", shape: anyText},
	{name: "addressOnly", shape: boolean},
	{name: "anchorCell", shape: anyText},
	{name: "endResultCell", shape: anyText},
	{name: "placementId", shape: anyText},
	{name: "resultChecksum", shape: checksumShape},
	{name: "sheetId", shape: anyText},
	{name: "sheetName", shape: anyText},
	{name: "workbookName", shape: anyText},
	{name: "host", shape: hostShape},
}, append(placementOptions, shownOnly...)...)...)

// placementOptions are the keys that say how a run treats a block (decisions.md §7c), in a connect as in a run and a schedule.
var placementOptions = []member{
	{name: "onEdit", shape: oneOf(string(placements.Keep), string(placements.Overwrite), string(placements.Stop))},
	{name: "breakSignature", shape: boolean},
}

// shownOnly are the keys that a placement has only in answers.
var shownOnly = ignored("id", "workbookId", "queryChecksum", "placedAt", "refreshedAt", "placedByUserId", "refreshedByUserId", "runAs", "edits",
	"syncStatus", "lastRun")

// optionsOf reads the options among the keys of a body; those of another type than their shape's count as not sent.
func optionsOf(v values) (o placements.Options) {
	sent := map[string]any{}
	for _, m := range placementOptions {
		if value, ok := v[m.name]; ok {
			sent[m.name] = value
		}
	}
	text, err := json.Marshal(sent)
	if err != nil || json.Unmarshal(text, &o) != nil {
		return placements.Options{}
	}
	return o
}

// targetTexts address a placement (interface.md, Disconnect a report from one spot in a spreadsheet).
var targetTexts = texts("placementId", "externalWorkbookId", "sheetName", "anchorCell", "resultLocation", "sheetId")

// targetShape is the body of a disconnect; rewriteShape that of PUT …/refresh, which says what was written too (decisions.md §6).
var (
	targetShape  = object(targetTexts...)
	rewriteShape = object(append(slices.Clone(targetTexts), member{name: "endResultCell", shape: anyText}, member{name: "resultChecksum", shape: checksumShape})...)
)

// connectWorkbook records where the report stands in the caller's spreadsheet.
func (s *Server) connectWorkbook(c *gin.Context) error {
	id, err := pathID(c, "reportId", "report")
	if err != nil {
		return err
	}
	shows, err := included(c, includeChecksums)
	if err != nil {
		return err
	}
	sent, err := s.decodeConnection(c)
	if err != nil {
		return err
	}
	r := current(c)
	done, err := s.store.Connect(c.Request.Context(), r.deployment(), id, sent, writerOf(c), minimal(c))
	if err != nil {
		return absent(err, "report")
	}
	overlaps, err := encodeDocumentPlacements(r.Caller, done.Overlaps, shows)
	if err != nil {
		return err
	}
	return s.answerReport(c, done.Report, extraKey{"overlaps", overlaps})
}

func (s *Server) decodeConnection(c *gin.Context) (placements.Connection, error) {
	raw, err := s.readBody(c)
	if err != nil {
		return placements.Connection{}, err
	}
	if sent, ok := s.plainConnection(c, raw); ok {
		return sent, nil
	}
	body, k, err := s.parse(c, raw, connectShape)
	if err != nil {
		return placements.Connection{}, err
	}
	sent := connectionOf(body)
	return sent, k.along(func() error { _, err := sent.Place(); return err })
}

func connectionOf(v values) placements.Connection {
	return placements.Connection{
		ExternalWorkbookID: v.plain("externalWorkbookId"),
		ResultLocation:     v.plain("resultLocation"),
		AddressOnly:        v.flag("addressOnly"),
		AnchorCell:         v.plain("anchorCell"),
		EndResultCell:      v.plain("endResultCell"),
		PlacementID:        v.plain("placementId"),
		ResultChecksum:     checksumOf(v["resultChecksum"]),
		SheetID:            v.plain("sheetId"),
		SheetName:          v.plain("sheetName"),
		WorkbookName:       v.plain("workbookName"),
		Host:               placements.Host(v.plain("host")),
		Options:            optionsOf(v),
	}
}

// checksumOf reads an object of checksumShape; nil when none was sent.
func checksumOf(v any) *checksum.ResultChecksum {
	sent, _ := v.(map[string]any)
	if sent == nil {
		return nil
	}
	version, _ := whole(sent["v"])
	list, _ := sent["chunks"].([]any)
	sum := &checksum.ResultChecksum{V: int(version), Chunks: make([]checksum.Chunk, len(list))}
	for i := range list {
		chunk, _ := list[i].(map[string]any)
		from, _ := whole(chunk["from"])
		to, _ := whole(chunk["to"])
		hash, _ := chunk["hash"].(string)
		sum.Chunks[i] = checksum.Chunk{From: int(from), To: int(to), Hash: hash}
	}
	return sum
}

// disconnectWorkbook removes the one placement that the body addresses. A target that addresses none is a success
// (interface.md, disconnect rule 5); a missing body addresses none.
func (s *Server) disconnectWorkbook(c *gin.Context) error {
	id, err := pathID(c, "reportId", "report")
	if err != nil {
		return err
	}
	target, err := s.decodeTarget(c)
	if err != nil {
		return err
	}
	r := current(c)
	report, removed, err := s.store.Disconnect(c.Request.Context(), r.deployment(), id, target, writerOf(c), minimal(c))
	if err != nil {
		return absent(err, "report")
	}
	if removed == nil {
		removed = json.RawMessage("null")
	}
	return s.answerReport(c, report, extraKey{"removedPlacement", removed})
}

func (s *Server) decodeTarget(c *gin.Context) (placements.Target, error) {
	raw, err := s.readBody(c)
	if err != nil || blank(raw) {
		return placements.Target{}, err
	}
	if sent, ok := s.plainTarget(c, raw); ok {
		return sent, nil
	}
	body, err := s.decodeBytes(c, raw, targetShape)
	return targetOf(body), err
}

func targetOf(v values) placements.Target {
	return placements.Target{
		PlacementID:        v.plain("placementId"),
		ExternalWorkbookID: v.plain("externalWorkbookId"),
		SheetName:          v.plain("sheetName"),
		AnchorCell:         v.plain("anchorCell"),
		ResultLocation:     v.plain("resultLocation"),
		SheetID:            v.plain("sheetId"),
	}
}

// stampRefresh records that an add-in has just rewritten the cells of a placement (decisions.md §6).
func (s *Server) stampRefresh(c *gin.Context) error {
	id, err := pathID(c, "reportId", "report")
	if err != nil {
		return err
	}
	w, err := s.decodeRewrite(c)
	if err != nil {
		return err
	}
	r := current(c)
	report, err := s.store.StampRefresh(c.Request.Context(), r.deployment(), id, w, writerOf(c))
	if err != nil {
		return absent(err, "report")
	}
	return s.answerReport(c, report)
}

func (s *Server) decodeRewrite(c *gin.Context) (placements.Rewrite, error) {
	body, k, err := s.examineOptional(c, rewriteShape)
	if err != nil {
		return placements.Rewrite{}, err
	}
	sent := placements.Rewrite{Target: targetOf(body), EndResultCell: body.plain("endResultCell"), ResultChecksum: checksumOf(body["resultChecksum"])}
	return sent, k.along(sent.Check)
}

// writerOf is the caller as storage checks access, and the version of the report that the request expects.
func writerOf(c *gin.Context) storage.Actor {
	who := current(c).Caller.actor()
	if listed(c, "If-Match") != "" {
		who.Expects = func(version int64) error { return ifMatch(c, version) }
	}
	return who
}

// minimal tells whether the request carries Prefer: return=minimal (RFC 7240): the answer then shows, of the report's placements, only the one that
// the request has written.
func minimal(c *gin.Context) bool {
	if !prefers(c, "return", "minimal") {
		return false
	}
	c.Header("Preference-Applied", "return=minimal")
	return true
}
