package members

import (
	"mooring/storage/record"
	"mooring/web/bind"
)

// The bounds of what a report may carry. MaxName is decisions.md §4's; the others are far above what reports hold.
const (
	MaxName       = 255 // characters
	maxPivotItems = 1_000
	maxRowKey     = 16 // columns
)

// Definition names what a report means wherever it stands.
func Definition(o *bind.Object, in *record.ReportInput) {
	bind.OptionalText(o, "name", &in.Name, MaxName)
	bind.OptionalText(o, "title", &in.Title, MaxName)
	bind.OptionalText(o, "description", &in.Description, MaxText)
	Query(o, in)
	parameters(o, in)
	o.DistinctList("rowKey", &in.RowKey, 1, maxRowKey, MaxName, bind.Filled)
	o.JSON("meta", &in.Meta, (*bind.Object).Open)
	o.OptionalWhole("folderId", &in.FolderID, 1)
	bind.OptionalChoice(o, "source", &in.Source, sources)
}

// Query names what decides the cells of a report.
func Query(o *bind.Object, in *record.ReportInput) {
	bind.OptionalText(o, "sqlQuery", &in.SQLQuery, bind.AnyLength)
	bind.OptionalText(o, "jsonQuery", &in.JSONQuery, bind.AnyLength)
	bind.Optional(o, "pivotItems", &in.PivotItems, pivot)
}

var (
	sources          = []string{record.SourceSheetsA, record.SourceSheetsB, record.SourcePlayground, record.SourceD3}
	displayScales    = []string{"model", "absolute", "thousands", "millions", "billions"}
	measureAxes      = []string{"columns", "rows"}
	measurePositions = []string{"before", "after"}
)

func pivot(o *bind.Object, in *record.PivotItems) {
	o.Required("columns", "filters", "measures", "rows")
	o.List("columns", &in.Columns, 0, maxPivotItems, MaxText)
	o.List("filters", &in.Filters, 0, maxPivotItems, MaxText)
	o.List("measures", &in.Measures, 0, maxPivotItems, MaxText)
	o.List("rows", &in.Rows, 0, maxPivotItems, MaxText)
	o.Flag("showAppliedFilters", &in.ShowAppliedFilters)
	o.Flag("showColumnTotals", &in.ShowColumnTotals)
	o.Flag("showRowTotals", &in.ShowRowTotals)
	bind.Choice(o, "displayScale", &in.DisplayScale, displayScales)
	bind.Choice(o, "measuresAxis", &in.MeasuresAxis, measureAxes)
	bind.Choice(o, "measuresPosition", &in.MeasuresPosition, measurePositions)
}

// MaxRoles bounds a report's access list, and the actions of each entry.
const MaxRoles = 200

// Role names an entry of a report's access list.
func Role(o *bind.Object, in *record.RoleAccess) {
	o.Required("id", "actions")
	bind.Whole(o, "id", &in.ID, 1)
	bind.Text(o, "name", &in.Name, MaxName)
	o.List("actions", &in.Actions, 0, MaxRoles, MaxName)
}
