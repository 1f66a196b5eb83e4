package ascode

import (
	"regexp"
	"slices"
	"strings"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/record/portable"
)

// directory returns where the files of a kind stand.
func directory(k portable.Kind) string { return string(k) + "s" }

// isKnown reports whether there is such a kind: a server may name any.
func isKnown(k portable.Kind) bool { return slices.Contains(allKinds(), k) }

// allKinds are the kinds in the order that a bundle has them: none refers to a later one.
func allKinds() []portable.Kind {
	return []portable.Kind{portable.KindReport, portable.KindWorkbook, portable.KindPlacement, portable.KindSchedule}
}

// The bounds of names, as the interface has them (decisions.md §4).
const (
	maxName = 255
	maxText = 1 << 20
)

// shapeOf returns what a file of a kind may say, in the order that new files say it in.
func shapeOf(k portable.Kind) shape {
	switch k {
	case "":
		return projectShape()
	case portable.KindReport:
		return reportShape()
	case portable.KindWorkbook:
		return workbookShape()
	case portable.KindPlacement:
		return placementShape()
	}
	return scheduleShape()
}

func reportShape() shape {
	texts := list(text(maxText))
	pivot := keys(
		may("rows", texts), may("columns", texts), may("measures", texts), may("filters", texts), may("showColumnTotals", truth()),
		may("displayScale", choice("model", "absolute", "thousands", "millions", "billions")),
		may("measuresAxis", choice("columns", "rows")), may("measuresPosition", choice("before", "after")),
	)
	return keys(
		must("publicId", ruled(publicID)), may("name", text(maxName)), may("title", text(maxName)), may("description", text(maxText)),
		may("source", choice(record.SourceSheetsA, record.SourceSheetsB, record.SourcePlayground, record.SourceD3)),
		may("folderId", whole(1)), may("protect", truth()), may("rowKey", list(text(maxName))), may("pivot", pivot),
		may("query", anyKeys().orText()), may("sql", text(0)), may("access", table(list(text(maxName)))), may("meta", anyKeys()),
	)
}

func workbookShape() shape {
	dashboard := keys(
		may("title", text(maxText)), may("description", text(maxText)), may("settings", anyKeys()), may("theme", anyKeys()),
		may("layout", anyKeys()), may("widgets", list(anyKeys())), may("app", anyKeys()),
	)
	return keys(
		must("slug", ruled(slug)), may("name", text(maxName)), may("folderId", whole(1)), may("protect", truth()),
		may("meta", anyKeys()), may("dashboard", dashboard),
	)
}

// placementOptions are the optional keys of a placement that the interface takes under the same names.
func placementOptions() []member {
	return []member{
		may("onEdit", choice("keep", "overwrite", "stop")), may("shiftRows", truth()), may("statusCell", ruled(anchor)),
		may("fillRight", ruled(columns)), may("breakSignature", truth()),
	}
}

func placementShape() shape {
	item := keys(append(
		[]member{must("report", ruled(publicID)), must("sheet", ruled(filled)), must("at", ruled(anchor)), may("protect", truth())},
		placementOptions()...)...)
	return keys(
		must("document", ruled(filled)), may("host", choice(string(placements.SheetsA), string(placements.SheetsB), "google", "excel")),
		must("items", list(item)),
	)
}

func scheduleShape() shape {
	target := keys(must("report", ruled(publicID)), may("document", ruled(filled)), may("at", ruled(location)))
	return keys(
		must("key", ruled(key)), may("name", text(maxName)), must("cron", list(text(maxName)).orText()), may("timezone", text(maxName)),
		must("target", target), may("catchUp", choice("latest", "skip", "all")), may("overlap", choice("skip", "queue")),
		may("onEdit", choice("keep", "overwrite", "stop")), may("shiftRows", truth()), may("breakSignature", truth()),
		may("jitterSeconds", whole(0)), may("paused", truth()), may("protect", truth()),
	)
}

func publicID(s string) string {
	_, wrong := record.PublicIDFault(s)
	return wrong
}

func slug(s string) string {
	_, wrong := record.NormalSlug(s)
	return wrong
}

func filled(s string) string {
	if strings.TrimSpace(s) == "" {
		return "is empty: write a name"
	}
	return ""
}

func anchor(s string) string {
	_, err := placements.ParseAnchor(s)
	return reason(err)
}

func columns(s string) string {
	_, err := placements.ParseColumns(s)
	return reason(err)
}

func location(s string) string {
	_, err := placements.ParseLocation(s)
	return reason(err)
}

// reason returns the sentence of an error, empty for none.
func reason(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

var keyPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,127}$`)

func key(s string) string {
	if !keyPattern.MatchString(s) {
		return "A key has 1 to 128 characters, a-z, 0-9, dot, underscore or hyphen, and begins with a letter or digit: choose such a one."
	}
	return ""
}

// compact writes a value as JSON with sorted keys, as a jsonQuery is sent.
func compact(v any) string {
	text, err := record.Encode(v)
	if err != nil {
		return ""
	}
	return text
}
