package reports

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"mooring/placements"
	"mooring/storage/journal"
	"mooring/storage/record"
	"mooring/web/request"
)

// versions returns the versions of a report's definition that are kept, the latest first.
func (a *API) versions(ctx context.Context, c *request.Call) (any, error) {
	first, err := c.First()
	if err != nil {
		return nil, err
	}
	after, err := c.After(isNumber)
	if err != nil {
		return nil, err
	}
	report, err := c.PathID("reportId", "report")
	if err != nil {
		return nil, err
	}
	list, now, err := a.Store.Journal().Versions(ctx, c.At, report)
	if err := mayReadNow(c, now, err); err != nil {
		return nil, err
	}
	if place, _ := strconv.ParseInt(after, 10, 64); place > 0 {
		list = slices.DeleteFunc(list, func(v journal.Version) bool { return v.Version >= place })
	}
	page, end := list[:min(first, len(list))], ""
	if len(page) > 0 {
		end = strconv.FormatInt(page[len(page)-1].Version, 10)
	}
	return request.PageOf(page, len(page) < len(list), end), nil
}

// reportVersion is one version of a report. An update of the report with its definition restores it.
type reportVersion struct {
	Version    int64        `json:"version"`
	UpdatedAt  string       `json:"updatedAt"`
	UpdatedBy  *record.User `json:"updatedBy"`
	Current    bool         `json:"current"`
	Definition settable     `json:"definition"`
}

// settable are the fields of a definition that an update sets; each that is empty is sent as what clears it.
type settable struct {
	Name        string                 `json:"name"`
	Title       string                 `json:"title"`
	Description string                 `json:"description"`
	SQLQuery    string                 `json:"sqlQuery"`
	JSONQuery   string                 `json:"jsonQuery"`
	PivotItems  *record.PivotItems     `json:"pivotItems"`
	RowKey      []string               `json:"rowKey"`
	Parameters  []placements.Parameter `json:"parameters"`
	Meta        any                    `json:"meta"`
	FolderID    *int64                 `json:"folderId"`
	WorkbookID  *int64                 `json:"workbookId"`
}

func settableOf(d *record.Definition) settable {
	return settable{d.Name, d.Title, d.Description, d.SQLQuery, d.JSONQuery, d.PivotItems, d.RowKey, d.Parameters, d.Meta, d.FolderID, d.WorkbookID}
}

// version returns one version of a report with its definition.
func (a *API) version(ctx context.Context, c *request.Call) (any, error) {
	report, err := c.PathID("reportId", "report")
	if err != nil {
		return nil, err
	}
	version, ok := request.ParseID(c.Param("version"))
	if !ok {
		return nil, noVersion()
	}
	d, now, err := a.Store.Journal().Version(ctx, c.At, report, version)
	if err := mayReadNow(c, now, err); err != nil {
		return nil, err
	}
	if d == nil {
		return nil, noVersion()
	}
	of := journal.VersionOf(d, 0)
	return reportVersion{
		Version: of.Version, UpdatedAt: of.UpdatedAt, UpdatedBy: of.UpdatedBy, Current: d.Version == now.Version,
		Definition: settableOf(d),
	}, nil
}

// mayReadNow checks that there is a report, as err says, and that the caller may read it as it is now.
func mayReadNow(c *request.Call, now *record.Definition, err error) error {
	if errors.Is(err, record.ErrNotFound) || err == nil && c.Caller.Level(now) < record.MayRead {
		return request.NotFound("report")
	}
	return err
}

// isNumber reports whether a text can be a place in a list of versions.
func isNumber(text string) bool {
	n, err := strconv.ParseInt(text, 10, 64)
	return err == nil && n > 0
}

func noVersion() error {
	return placements.Errorf(placements.CodeNotFound,
		"The report has no such version, or it is not kept any more: list its versions for those that are.")
}
