package ascode

import (
	"errors"
	"slices"
	"strings"

	"mooring/cmd/mooring/yaml"
	"mooring/placements"
	"mooring/refresh/cron"
	"mooring/storage/record"
	"mooring/storage/record/portable"
)

func (r *reader) referReport(n *yaml.Node) {
	r.publicID(n.Get("publicId"))
	if shows := n.Get("pivot").Get("showAppliedFilters"); shows != nil && shows.Kind == yaml.Truth && shows.Text == "true" && isText(n.Get("publicId")) {
		r.above[n.Get("publicId").Text] = shows.Place
	}
	r.roles(n.Get("access"))
}

func (r *reader) referWorkbook(n *yaml.Node) {
	if slug := n.Get("slug"); isText(slug) {
		normal, _ := record.NormalSlug(slug.Text)
		r.once(portable.KindWorkbook, normal, normal, slug.Place)
	}
	if draft := n.Get("meta").Get("dashboardDraft"); draft != nil {
		r.faults.add(yaml.RuleKey, draft.Place, "a dashboard stands under dashboard, not in meta: move it there")
	}
	for _, chart := range charts(n.Get("dashboard")) {
		r.chart(chart)
	}
}

func (r *reader) referPlacements(n *yaml.Node) {
	items := n.Get("items")
	if items == nil {
		return
	}
	for _, item := range items.Items {
		r.report(item.Get("report"))
		r.spot(n.Get("document"), item)
		if at := item.Get("at"); isText(at) && isText(item.Get("report")) {
			if cell, err := placements.ParseAnchor(at.Text); err == nil && cell.Row == 0 {
				r.top = append(r.top, item)
			}
		}
	}
}

func (r *reader) referSchedule(n *yaml.Node) {
	if key := n.Get("key"); isText(key) {
		r.once(portable.KindSchedule, key.Text, key.Text, key.Place)
	}
	r.report(n.Get("target").Get("report"))
	r.faults.fitsTarget(n.Get("target"))
	r.faults.fitsTimes(n)
}

func isText(n *yaml.Node) bool { return n != nil && n.Kind == yaml.Text }

// once remembers where an asset stands, and refuses a second one that is the same.
func (r *reader) once(kind portable.AssetKind, identity, ref string, at yaml.Place) {
	id := string(kind) + " " + identity
	if first, again := r.first[id]; again {
		r.faults.add(RuleDuplicate, at, "the %s %q stands at %s already: keep one of them", kind, ref, first)
		return
	}
	r.first[id] = at
}

// publicID remembers a report.
func (r *reader) publicID(n *yaml.Node) {
	if !isText(n) {
		return
	}
	if first, again := r.reports[n.Text]; again {
		r.faults.add(RuleDuplicate, n.Place, "the publicId %q stands at %s already: each report has its own", n.Text, first)
		return
	}
	r.reports[n.Text], r.first[string(portable.KindReport)+" "+n.Text] = n.Place, n.Place
}

// spot remembers where a placement is to stand.
func (r *reader) spot(document, item *yaml.Node) {
	sheet, at := item.Get("sheet"), item.Get("at")
	if !isText(document) || !isText(sheet) || !isText(at) {
		return
	}
	if cell, err := placements.ParseAnchor(at.Text); err == nil {
		place := placements.Address{Document: document.Text, Sheet: sheet.Text, Anchor: cell}
		r.once(portable.KindPlacement, place.Key(), placementRef(place.Document, place.Sheet, cell.String()), item.Place)
	}
}

// roles refuses roles that the environment does not have.
func (r *reader) roles(access *yaml.Node) {
	if access == nil || r.Project.Name == "" { // nothing is known of it
		return
	}
	known := r.Project.Environment.Roles
	for _, p := range access.Pairs {
		if _, ok := known[p.Key.Text]; !ok {
			r.faults.add(RuleReference, p.Key.Place, "the environment %q has no role %q: %s",
				r.Project.Environment.Name, p.Key.Text, yaml.Suggestion(p.Key.Text, names(known)))
		}
	}
}

// chart refuses a chart that names its report otherwise than by report.
func (r *reader) chart(chart *yaml.Node) {
	config := chart.Get("config")
	report, id := config.Get("report"), config.Get("reportId")
	switch {
	case report == nil && id != nil && id.Kind == yaml.Number && config.Get("reportPublicId") == nil:
		r.gone(id)
		return
	case report == nil:
		r.faults.add(yaml.RuleKey, chart.Place, "a chart names its report: add config with report: PUBLICID")
		return
	case report.Kind != yaml.Text:
		r.faults.add(yaml.RuleValue, report.Place, "expected text, found %s: write the publicId in quotes", report.Kind)
		return
	}
	for _, p := range config.Pairs {
		if p.Key.Text == "reportId" || p.Key.Text == "reportPublicId" {
			r.faults.add(yaml.RuleKey, p.Key.Place, "a chart names its report under report: take %s out", p.Key.Text)
		}
	}
	r.mention(report)
}

// report remembers that a file names a report, unless the form of its publicId is reported.
func (r *reader) report(n *yaml.Node) {
	if isText(n) && publicID.Wrong(n.Text) == "" {
		r.mention(n)
	}
}

// mention remembers that a file names a report.
func (r *reader) mention(n *yaml.Node) { r.named = append(r.named, *n) } // as it is written

// unknown refuses names of reports that are none of the folder's, nor listed as others'.
func (r *reader) unknown() {
	known := append(names(r.reports), r.Project.external...)
	for _, n := range r.named {
		if !slices.Contains(known, n.Text) && r.Project.Name != "" {
			r.faults.add(RuleReference, n.Place, "no report here has the publicId %q: %s, or list it under external in %s",
				n.Text, yaml.Suggestion(n.Text, known), projectFile)
		}
	}
}

// roomAbove warns of placements that have no row above for the filters which their reports show there. It is no fault: the server refuses
// them only where they are to stand anew, and a pull brings those that stood there before the report showed any.
func (r *reader) roomAbove() {
	for _, item := range r.top {
		report, at := item.Get("report"), item.Get("at")
		if shows, ok := r.above[report.Text]; ok {
			r.warnings.add(yaml.RuleValue, at.Place, "row 1 has no cell above it for the filters that the report %q shows (%s): "+
				"place it in row 2 or below, or set showAppliedFilters of the report to false", report.Text, shows)
		}
	}
}

// fitsTarget reports an address of a target that does not say where it is.
func (f *Faults) fitsTarget(target *yaml.Node) {
	at := target.Get("at")
	if !isText(at) {
		return
	}
	if l, err := placements.ParseLocation(at.Text); err == nil && l.Sheet == "" {
		f.add(yaml.RuleValue, at.Place, "names no sheet: write it as Sheet1!B2")
	}
	if target.Get("document") == nil {
		f.add(yaml.RuleKey, at.Place, "stands in no document: add document")
	}
}

// fitsTimes reports what is wrong with when a schedule fires.
func (f *Faults) fitsTimes(n *yaml.Node) {
	specs, zone := []string{"@daily"}, ""
	switch when := n.Get("cron"); {
	case isText(when):
		specs[0] = when.Text
	case when != nil && len(when.Items) > 0:
		specs = make([]string, len(when.Items))
		for i, item := range when.Items {
			if specs[i] = "@daily"; item.Kind == yaml.Text { // else its kind is reported
				specs[i] = item.Text
			}
		}
	case when != nil && when.Kind == yaml.List:
		specs = nil
	}
	if z := n.Get("timezone"); isText(z) {
		zone = z.Text
	}
	var wrong cron.Error
	if _, err := cron.Parse(specs, zone); errors.As(err, &wrong) {
		for _, fault := range wrong {
			member, _, _ := strings.Cut(strings.TrimPrefix(fault.Pointer, "/"), "/")
			f.add(yaml.RuleValue, n.At(fault.Pointer).Place, "%s %s", member, fault.Message)
		}
	}
}

// gone warns of a chart that keeps the id of a report, as a pull writes it when the report is gone.
func (r *reader) gone(id *yaml.Node) {
	r.warnings.add(RuleReference, id.Place, "the chart shows report #%s of one deployment, which is gone: take the chart out, or name another report under report",
		record.CanonicalNumber(id.Text))
}
