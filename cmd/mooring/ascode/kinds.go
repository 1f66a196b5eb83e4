package ascode

import (
	"regexp"
	"slices"
	"strings"

	"mooring/cmd/mooring/yaml/shape"
	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/record/portable"
)

// kind is a kind of asset, and what its files say, in the order that new files say it in.
type kind struct {
	name  portable.AssetKind
	shape func() shape.Shape
}

// kinds are the kinds in the order that a bundle has them: none refers to a later one.
func kinds() []kind {
	return []kind{
		{portable.KindReport, reportShape},
		{portable.KindWorkbook, workbookShape},
		{portable.KindPlacement, placementShape},
		{portable.KindSchedule, scheduleShape},
	}
}

// rank is the index of a kind among all, -1 for one that is not known: a server may name any.
func rank(k portable.AssetKind) int {
	return slices.IndexFunc(kinds(), func(of kind) bool { return of.name == k })
}

// directory returns where the files of a kind stand.
func directory(k portable.AssetKind) string { return string(k) + "s" }

// shapeOf returns what a file of a kind may say; no kind is that of project.yaml.
func shapeOf(k portable.AssetKind) shape.Shape {
	if k == "" {
		return projectShape()
	}
	return kinds()[rank(k)].shape()
}

// The bounds of names, as the interface has them (decisions.md §4).
const (
	maxName = 255
	maxText = 1 << 20
)

func reportShape() shape.Shape {
	texts := shape.List(shape.Text(maxText))
	pivot := shape.Keys(
		shape.May("rows", texts), shape.May("columns", texts), shape.May("measures", texts), shape.May("filters", texts),
		shape.May("showRowTotals", shape.Truth()), shape.May("showColumnTotals", shape.Truth()), shape.May("showAppliedFilters", shape.Truth()),
		shape.May("displayScale", shape.Choice("model", "absolute", "thousands", "millions", "billions")),
		shape.May("measuresAxis", shape.Choice("columns", "rows")), shape.May("measuresPosition", shape.Choice("before", "after")),
	)
	parameter := shape.Keys(
		shape.Must("name", shape.Rule(parameterName)), shape.May("title", shape.Text(placements.MaxParameterTitle)),
		shape.Must("type", shape.Choice("text", "number", "date", "boolean")), shape.May("list", shape.Truth()),
		shape.May("default", shape.ScalarOrList(placements.MaxParameterText)),
		shape.May("allowed", shape.List(shape.Scalar(placements.MaxParameterText))), shape.May("fromCells", shape.Truth()),
	)
	return shape.Keys(
		shape.Must("publicId", shape.Rule(publicID)), shape.May("name", shape.Text(maxName)), shape.May("title", shape.Text(maxName)),
		shape.May("description", shape.Text(maxText)),
		shape.May("source", shape.Choice(append(hostWords(), record.SourcePlayground, record.SourceD3)...)),
		shape.May("folderId", shape.Whole(1)), shape.May("protect", shape.Truth()), shape.May("rowKey", shape.List(shape.Text(maxName))),
		shape.May("parameters", shape.List(parameter)), shape.May("pivot", pivot),
		shape.May("query", shape.Any().OrText()), shape.May("sql", shape.Text(0)),
		shape.May("access", shape.Table(shape.List(shape.Text(maxName)))), shape.May("meta", shape.Any()),
	)
}

func workbookShape() shape.Shape {
	dashboard := shape.Keys(
		shape.May("title", shape.Text(maxText)), shape.May("description", shape.Text(maxText)), shape.May("settings", shape.Any()),
		shape.May("theme", shape.Any()),
		shape.May("layout", shape.Any()), shape.May("widgets", shape.List(shape.Any())), shape.May("app", shape.Any()),
	)
	return shape.Keys(
		shape.Must("slug", shape.Rule(slug)), shape.May("name", shape.Text(maxName)), shape.May("folderId", shape.Whole(1)),
		shape.May("protect", shape.Truth()),
		shape.May("meta", shape.Any()), shape.May("dashboard", dashboard),
	)
}

func placementShape() shape.Shape {
	setting := shape.Keys(shape.May("value", shape.ScalarOrList(placements.MaxParameterText)), shape.May("cell", shape.Rule(parameterCells)))
	item := shape.Keys(
		shape.Must("report", shape.Rule(publicID)), shape.Must("sheet", shape.Rule(filled)), shape.Must("at", shape.Rule(anchor)),
		shape.May("protect", shape.Truth()), shape.May("onEdit", shape.Choice("keep", "overwrite", "stop")), shape.May("shiftRows", shape.Truth()),
		shape.May("statusCell", shape.Rule(anchor)), shape.May("fillRight", shape.Rule(columns)), shape.May("breakSignature", shape.Truth()),
		shape.May("parameters", shape.Table(setting)),
	)
	return shape.Keys(
		shape.Must("document", shape.Rule(filled)),
		shape.May("host", shape.Choice(hostWords()...)),
		shape.Must("items", shape.List(item)),
	)
}

// hostWords are the words for the kinds of spreadsheets, those of files first.
func hostWords() []string {
	return []string{placements.SheetsA.Word(), placements.SheetsB.Word(), string(placements.SheetsA), string(placements.SheetsB)}
}

func scheduleShape() shape.Shape {
	target := shape.Keys(shape.Must("report", shape.Rule(publicID)), shape.May("document", shape.Rule(filled)),
		shape.May("at", shape.Rule(location)))
	return shape.Keys(
		shape.Must("key", shape.Rule(key)), shape.May("name", shape.Text(maxName)),
		shape.Must("cron", shape.List(shape.Text(maxName)).OrText()), shape.May("timezone", shape.Text(maxName)),
		shape.Must("target", target), shape.May("catchUp", shape.Choice("latest", "skip", "all")),
		shape.May("overlap", shape.Choice("skip", "queue")),
		shape.May("onEdit", shape.Choice("keep", "overwrite", "stop")), shape.May("shiftRows", shape.Truth()),
		shape.May("breakSignature", shape.Truth()),
		shape.May("jitterSeconds", shape.Whole(0)), shape.May("paused", shape.Truth()), shape.May("protect", shape.Truth()),
	)
}

// The forms of texts. A pattern tells an editor what it can; what it cannot is told by validate.
var (
	publicID = shape.Form{Pattern: `^[0-9A-Za-z]{12}$`, Wrong: func(s string) string {
		_, wrong := record.PublicIDFault(s)
		return wrong
	}}
	parameterName = shape.Form{Pattern: `^[A-Za-z_][A-Za-z0-9_]{0,62}$`, Wrong: func(s string) string {
		if !placements.IsParameterName(s) {
			return "is no name of a parameter: use letters, digits and _, at most 63, not beginning with a digit"
		}
		return ""
	}}
	parameterCells = shape.Form{Pattern: `^.+!\s*\$?[A-Za-z]{1,3}\$?[0-9]+(:\$?[A-Za-z]{1,3}\$?[0-9]+)?\s*$`, Wrong: func(s string) string {
		if l, err := placements.ParseLocation(s); err != nil || l.Sheet == "" {
			return "is no cell of a sheet, such as Setup!B2"
		}
		return ""
	}}
	slug = shape.Form{Pattern: `^\s*[A-Za-z0-9][A-Za-z0-9._-]{0,127}\s*$`, Wrong: func(s string) string {
		_, wrong := record.NormalSlug(s)
		return wrong
	}}
	filled = shape.Form{Pattern: `\S`, Wrong: func(s string) string {
		if strings.TrimSpace(s) == "" {
			return "is empty: write a name"
		}
		return ""
	}}
	anchor = shape.Form{Pattern: "^" + cell + "$", Wrong: func(s string) string {
		_, err := placements.ParseAnchor(s)
		return reason(err)
	}}
	columns = shape.Form{Pattern: `^\$?[A-Za-z]{1,3}:\$?[A-Za-z]{1,3}$`, Wrong: func(s string) string {
		_, err := placements.ParseColumns(s)
		return reason(err)
	}}
	location = shape.Form{Pattern: `^([\s\S]*!)?` + cell + "(:" + cell + ")?$", Wrong: func(s string) string {
		_, err := placements.ParseLocation(s)
		return reason(err)
	}}
	key = shape.Form{Pattern: keyPattern.String(), Wrong: func(s string) string {
		if !keyPattern.MatchString(s) {
			return "A key has 1 to 128 characters, a-z, 0-9, dot, underscore or hyphen, and begins with a letter or digit: choose such a one."
		}
		return ""
	}}
)

// cell is a pattern of a cell such as B2.
const cell = `\$?[A-Za-z]{1,3}\$?[1-9][0-9]{0,6}`

var keyPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,127}$`)

// reason returns the sentence of an error, empty for none.
func reason(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// compact writes a value as JSON with sorted keys, as a jsonQuery is sent.
func compact(v any) string {
	text, err := record.Encode(v)
	if err != nil {
		return ""
	}
	return text
}
