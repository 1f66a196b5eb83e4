package overview

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

// Versions returns the versions of a report's definition that are kept, the latest first.
func (o *API) Versions(ctx context.Context, c *request.Call) (any, error) {
	first, err := c.First()
	if err != nil {
		return nil, err
	}
	after, err := c.After(isNumber)
	if err != nil {
		return nil, err
	}
	report, err := number(c, "reportId")
	if err != nil {
		return nil, noReport()
	}
	list, now, err := o.Store.Journal().Versions(ctx, c.At, report)
	if err := mayRead(c, now, err); err != nil {
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
	Name        string             `json:"name"`
	Title       string             `json:"title"`
	Description string             `json:"description"`
	SQLQuery    string             `json:"sqlQuery"`
	JSONQuery   string             `json:"jsonQuery"`
	PivotItems  *record.PivotItems `json:"pivotItems"`
	RowKey      []string           `json:"rowKey"`
	Meta        any                `json:"meta"`
	FolderID    *int64             `json:"folderId"`
	WorkbookID  *int64             `json:"workbookId"`
}

// Version returns one version of a report with its definition.
func (o *API) Version(ctx context.Context, c *request.Call) (any, error) {
	report, err := number(c, "reportId")
	if err != nil {
		return nil, noReport()
	}
	version, err := number(c, "version")
	if err != nil {
		return nil, noVersion()
	}
	d, now, err := o.Store.Journal().Version(ctx, c.At, report, version)
	if err := mayRead(c, now, err); err != nil {
		return nil, err
	}
	if d == nil {
		return nil, noVersion()
	}
	of := journal.VersionOf(d, 0)
	return reportVersion{
		Version: of.Version, UpdatedAt: of.UpdatedAt, UpdatedBy: of.UpdatedBy, Current: d.Version == now.Version,
		Definition: settable{
			d.Name, d.Title, d.Description, d.SQLQuery, d.JSONQuery, d.PivotItems, d.RowKey, d.Meta, d.FolderID, d.WorkbookID,
		},
	}, nil
}

// mayRead checks that there is a report, as err says, and that the caller may read it as it is now.
func mayRead(c *request.Call, now *record.Definition, err error) error {
	if errors.Is(err, record.ErrNotFound) || err == nil && c.Caller.Level(now) < record.MayRead {
		return noReport()
	}
	return err
}

// number reads a number from 1 on in the path.
func number(c *request.Call, name string) (int64, error) {
	text := c.Param(name)
	n, err := strconv.ParseInt(text, 10, 64)
	if err == nil && (n < 1 || strconv.FormatInt(n, 10) != text) {
		err = strconv.ErrRange
	}
	return n, err
}

func isNumber(text string) bool {
	n, err := strconv.ParseInt(text, 10, 64)
	return err == nil && n > 0
}

func noReport() error {
	return placements.Errorf(placements.CodeNotFound,
		"No such report here, or this token may not read it: check the id, and the roles and actions of the token.")
}

func noVersion() error {
	return placements.Errorf(placements.CodeNotFound,
		"The report has no such version, or it is not kept any more: list its versions for those that are.")
}
