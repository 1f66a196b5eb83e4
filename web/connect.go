package web

import (
	"github.com/gin-gonic/gin"

	"mooring/checksum"
	"mooring/placements"
	"mooring/storage"
)

// connectShape is the body of a connect (interface.md, Connect a report to the calling spreadsheet).
var connectShape = object(
	member{name: "externalWorkbookId", shape: text(maxText), required: true},
	member{name: "resultLocation", shape: text(maxText), required: true},
	member{name: "addressOnly", shape: boolean},
	member{name: "anchorCell", shape: text(maxText)},
	member{name: "endResultCell", shape: text(maxText)},
	member{name: "placementId", shape: text(maxText)},
	member{name: "resultChecksum", shape: checksumShape},
	member{name: "sheetId", shape: text(maxText)},
	member{name: "sheetName", shape: text(maxText)},
	member{name: "workbookName", shape: text(maxText)},
	member{name: "host", shape: hostShape},
)

// targetShape is the body of a disconnect (interface.md, Disconnect a report from one spot in a spreadsheet).
var targetShape = object(texts("placementId", "externalWorkbookId", "sheetName", "anchorCell", "resultLocation", "sheetId")...)

// connectWorkbook records where the report stands in the caller's spreadsheet.
func (s *Server) connectWorkbook(c *gin.Context) error {
	id, err := pathID(c, "reportId", "report")
	if err != nil {
		return err
	}
	body, err := s.decode(c, connectShape)
	if err != nil {
		return err
	}
	connection, err := connectionOf(body)
	if err != nil {
		return err
	}
	caller := current(c).Caller
	done, err := s.store.Connect(c.Request.Context(), current(c).deployment(), id, connection, caller.user(), caller.mayReadReport)
	if err != nil {
		return err
	}
	return answerReport(c, done.Report, extraKey{"overlaps", overlapsAnswer(done.Overlaps)})
}

func connectionOf(v values) (placements.Connection, error) {
	sum, err := into[checksum.ResultChecksum](v, "resultChecksum")
	return placements.Connection{
		ExternalWorkbookID: v.text("externalWorkbookId").OrZero(),
		ResultLocation:     v.text("resultLocation").OrZero(),
		AddressOnly:        v.flag("addressOnly"),
		AnchorCell:         v.text("anchorCell").OrZero(),
		EndResultCell:      v.text("endResultCell").OrZero(),
		PlacementID:        v.text("placementId").OrZero(),
		ResultChecksum:     sum.Value,
		SheetID:            v.text("sheetId").OrZero(),
		SheetName:          v.text("sheetName").OrZero(),
		WorkbookName:       v.text("workbookName").OrZero(),
		Host:               placements.Host(v.text("host").OrZero()),
	}, err
}

// disconnectWorkbook removes the one placement that the body addresses. A target that addresses none is a success
// (interface.md, disconnect rule 5); a missing body addresses none.
func (s *Server) disconnectWorkbook(c *gin.Context) error {
	id, err := pathID(c, "reportId", "report")
	if err != nil {
		return err
	}
	body, err := s.decodeOptional(c, targetShape)
	if err != nil {
		return err
	}
	caller := current(c).Caller
	r, removed, err := s.store.Disconnect(c.Request.Context(), current(c).deployment(), id, targetOf(body), caller.mayReadReport)
	if err != nil {
		return err
	}
	return answerReport(c, r, extraKey{"removedPlacement", removed})
}

func targetOf(v values) placements.Target {
	return placements.Target{
		PlacementID:        v.text("placementId").OrZero(),
		ExternalWorkbookID: v.text("externalWorkbookId").OrZero(),
		SheetName:          v.text("sheetName").OrZero(),
		AnchorCell:         v.text("anchorCell").OrZero(),
		ResultLocation:     v.text("resultLocation").OrZero(),
		SheetID:            v.text("sheetId").OrZero(),
	}
}

// overlapsAnswer shows the placements that a connect overlapped; never null.
func overlapsAnswer(entries []storage.DocumentEntry) []storage.DocumentEntry {
	if entries == nil {
		return []storage.DocumentEntry{}
	}
	return entries
}
