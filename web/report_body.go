package web

import (
	"math"
	"regexp"
	"slices"
	"strconv"

	"mooring/placements"
	"mooring/storage"
)

// The bounds of what a report may carry. maxName is decisions.md §4's; the others are far above what reports hold.
const (
	maxName       = 255 // characters
	maxPivotItems = 1_000
	maxRowKey     = 16 // columns
)

// publicIDPattern is the portable identity of a report (interface.md, Limits).
var publicIDPattern = regexp.MustCompile(`^[0-9A-Za-z]{12}$`)

var (
	members = list(text(maxText), maxPivotItems)

	pivotShape = object(
		member{name: "columns", shape: members, required: true},
		member{name: "filters", shape: members, required: true},
		member{name: "measures", shape: members, required: true},
		member{name: "rows", shape: members, required: true},
		member{name: "showColumnTotals", shape: boolean},
		member{name: "displayScale", shape: oneOf("model", "absolute", "thousands", "millions", "billions")},
		member{name: "measuresAxis", shape: oneOf("columns", "rows")},
		member{name: "measuresPosition", shape: oneOf("before", "after")},
	)

	// anyText checks the type only, as checksumShape does: what texts and numbers may say, and how much of them, is placements' to judge.
	anyText = text(math.MaxInt)

	checksumShape = object(
		member{name: "v", shape: anyInteger, required: true},
		member{name: "chunks", required: true, shape: list(object(
			member{name: "from", shape: anyInteger, required: true},
			member{name: "to", shape: anyInteger, required: true},
			member{name: "hash", shape: anyText, required: true},
		), math.MaxInt)},
	)

	hostShape = oneOf(string(placements.SheetsA), string(placements.SheetsB))

	rowKeyShape = distinct(sized(filled(maxName), 1, maxRowKey))

	// reportShape is the body of create, update and upsert (interface.md, Report request body).
	reportShape = object(reportMembers...)

	reportMembers = append([]member{
		{name: "publicId", shape: publicIDShape},
		{name: "name", shape: text(maxName)},
		{name: "title", shape: text(maxName)},
		{name: "description", shape: text(maxText)},
		{name: "sqlQuery", shape: text(math.MaxInt)},
		{name: "jsonQuery", shape: text(math.MaxInt)},
		{name: "pivotItems", shape: pivotShape},
		{name: "rowKey", shape: rowKeyShape},
		{name: "meta", shape: openObject()},
		{name: "folderId", shape: integer(1)},
		{name: "workbookId", shape: integer(1)},
		{name: "workbookName", shape: anyText},
		{name: "externalWorkbookId", shape: anyText},
		{name: "sheetId", shape: anyText},
		{name: "resultLocation", shape: anyText},
		{name: "endResultCell", shape: anyText},
		{name: "resultChecksum", shape: checksumShape},
		{name: "source", shape: oneOf("SHEETS_A", "SHEETS_B", "PLAYGROUND", "D3")},
		{name: "host", shape: hostShape},
		{name: "expectedVersion", shape: integer(1)},
	}, ignored("id", "deploymentId", "type", "createdAt", "updatedAt", "createdBy", "userId", "refreshedAt",
		"refreshedBy", "user", "refreshedByUser", "canEdit", "canManage", "currentQueryChecksum", "folderPath",
		"externalWorkbookPlacements", "rolesWithAccess", "version", "updatedBy", "overlaps", "removedPlacement")...)
)

// publicIDShape takes a publicId that a client may choose.
func publicIDShape(k *check, v any) {
	s, ok := v.(string)
	if !ok {
		k.fault("must be a string")
	} else if code, message := storage.PublicIDFault(s); message != "" {
		k.at(nil, Code(code), "%s", message)
	}
}

// readBack are keys that only an object has which was read from the service: its spreadsheet keys tell what was recorded, and ask for
// nothing.
var readBack = []string{"externalWorkbookPlacements", "id", "createdAt"}

// reportInput is a body of reportShape as storage takes it.
func reportInput(v values) storage.ReportInput {
	in := storage.ReportInput{
		PublicID:    v.text("publicId"),
		Name:        v.text("name"),
		Title:       v.text("title"),
		Description: v.text("description"),
		SQLQuery:    v.text("sqlQuery"),
		JSONQuery:   v.text("jsonQuery"),
		Meta:        v.json("meta"),
		FolderID:    v.integer("folderId"),
		WorkbookID:  v.integer("workbookId"),
		Source:      v.text("source"),
		PivotItems:  said(v, "pivotItems", pivotOf),
		RowKey:      said(v, "rowKey", func(any) []string { return v.texts("rowKey") }),
	}
	if !slices.ContainsFunc(readBack, func(key string) bool { _, sent := v[key]; return sent }) {
		in.SpreadsheetKeys = spreadsheetKeys(v)
	}
	return in
}

func spreadsheetKeys(v values) storage.SpreadsheetKeys {
	keys := storage.SpreadsheetKeys{
		WorkbookName:       v.text("workbookName"),
		ExternalWorkbookID: v.text("externalWorkbookId"),
		SheetID:            v.text("sheetId"),
		ResultLocation:     v.text("resultLocation"),
		EndResultCell:      v.text("endResultCell"),
		Host:               said(v, "host", func(value any) placements.Host { s, _ := value.(string); return placements.Host(s) }),
	}
	_, keys.ResultChecksum.Sent = v["resultChecksum"]
	keys.ResultChecksum.Value = checksumOf(v["resultChecksum"])
	return keys
}

// pivotOf reads an object of pivotShape.
func pivotOf(value any) storage.PivotItems {
	object, _ := value.(map[string]any)
	v := values(object)
	return storage.PivotItems{
		Columns:          v.texts("columns"),
		Filters:          v.texts("filters"),
		Measures:         v.texts("measures"),
		Rows:             v.texts("rows"),
		ShowColumnTotals: v.flag("showColumnTotals"),
		DisplayScale:     v.plain("displayScale"),
		MeasuresAxis:     v.plain("measuresAxis"),
		MeasuresPosition: v.plain("measuresPosition"),
	}
}

// appendReport appends the wire form of r for a caller with that level, with extra keys at its end. What is stored as JSON passes
// through as it is.
func appendReport(body []byte, r *storage.Report, l level, extra ...extraKey) ([]byte, error) {
	definition, err := r.DefinitionJSON()
	if err != nil {
		return nil, err
	}
	shown := r.Show()
	body = slices.Grow(body, len(definition)+reportRoom+roomFor(shown, extra))
	body = strconv.AppendInt(append(body, `{"id":`...), r.ID, 10)
	body = strconv.AppendInt(append(body, `,"deploymentId":`...), r.DeploymentID, 10)
	body = strconv.AppendQuote(append(body, `,"publicId":`...), r.PublicID)
	body = strconv.AppendQuote(append(body, `,"type":`...), r.Type)
	body = strconv.AppendInt(append(body, `,"userId":`...), r.UserID, 10)
	body = appendMembers(body, definition)
	body = r.AppendMarks(body)
	body = strconv.AppendBool(append(body, `,"canEdit":`...), l >= mayEdit)
	body = strconv.AppendBool(append(body, `,"canManage":`...), l >= mayManage)
	// The service keeps no folders: the path of every report is empty.
	body = append(body, `,"folderPath":[],"externalWorkbookPlacements":`...)
	if body, err = appendPlacements(body, shown, r.CurrentChecksum); err != nil {
		return nil, err
	}
	for _, e := range extra {
		body = append(strconv.AppendQuote(append(body, ','), e.name), ':')
		body = append(body, e.json...)
	}
	return append(body, '}'), nil
}

// reportRoom is about what a report's answer has beside its definition, its placements and extra keys.
const reportRoom = 768

// roomFor is about what placements and extra keys take.
func roomFor(shown []storage.Shown, extra []extraKey) (bytes int) {
	for _, p := range shown {
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
