package record

import (
	"errors"
	"reflect"
	"slices"

	"mooring/checksum"
	"mooring/placements"
)

// SpreadsheetKeys are the keys of a report's body that say where it is to stand.
type SpreadsheetKeys struct {
	WorkbookName       placements.Optional[string]
	ExternalWorkbookID placements.Optional[string]
	SheetID            placements.Optional[string]
	ResultLocation     placements.Optional[string]
	EndResultCell      placements.Optional[string]
	ResultChecksum     placements.Optional[checksum.ResultChecksum]
	Host               placements.Optional[placements.Host]
}

// Connection is what the keys declare, as a connect would say it; ok is false when none of them says a place. Empty texts and null are not
// sent: a report that was never placed reads back like that.
func (in *SpreadsheetKeys) Connection() (c placements.Connection, ok bool) {
	c = placements.Connection{
		ExternalWorkbookID: in.ExternalWorkbookID.OrZero(),
		ResultLocation:     in.ResultLocation.OrZero(),
		EndResultCell:      in.EndResultCell.OrZero(),
		SheetID:            in.SheetID.OrZero(),
		ResultChecksum:     in.ResultChecksum.Value,
	}
	if reflect.ValueOf(c).IsZero() {
		return c, false
	}
	c.WorkbookName, c.Host = in.WorkbookName.OrZero(), in.Host.OrZero()
	return c, true
}

// CheckPlace finds what is wrong with the keys whatever the report. Of one that may update a report, what is left out
// may come from there. The error is a *placements.Error.
func (in *SpreadsheetKeys) CheckPlace(creates bool) error {
	c, ok := in.Connection()
	if !ok {
		return nil
	}
	_, err := c.Place()
	bad, _ := errors.AsType[*placements.Error](err)
	if bad == nil || creates {
		return placements.Declared(err)
	}
	sure := slices.DeleteFunc(bad.Details, func(d placements.Detail) bool {
		return d.Pointer == "/externalWorkbookId" && c.ExternalWorkbookID == "" || d.Pointer == "/resultLocation" && c.ResultLocation == ""
	})
	// What the report repeats may name no sheet.
	if !slices.ContainsFunc(sure, func(d placements.Detail) bool { return d.Pointer != "/sheetName" }) {
		return nil
	}
	return placements.Declared(placements.Faulty(sure...))
}
