package ascode

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"mooring/cmd/mooring/yaml"
	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/record/portable"
)

// definition begins a definition with those members of n that the wire has under the same name.
func definition(n *yaml.Node, without ...string) *yaml.Node {
	def := &yaml.Node{Kind: yaml.Mapping, Place: n.Place}
	for _, p := range n.Pairs {
		if p.Key.Text != "protect" && !slices.Contains(without, p.Key.Text) {
			def.Pairs = append(def.Pairs, p)
		}
	}
	return def
}

// put adds a member to a mapping, unless there is no value.
func put(m *yaml.Node, name string, value *yaml.Node) {
	if value != nil {
		m.Pairs = append(m.Pairs, yaml.Pair{Key: textAt(value.Place, name), Value: value})
	}
}

func textAt(at yaml.Place, s string) *yaml.Node {
	return &yaml.Node{Kind: yaml.Text, Place: at, Text: s}
}

func (r *reader) add(a *asset, n *yaml.Node) {
	protect := n.Get("protect")
	a.protect = protect != nil && protect.Text == "true"
	r.assets = append(r.assets, a)
}

// addFirst adds an asset unless another file has it, which is reported.
func (r *reader) addFirst(a *asset, n *yaml.Node, identity string) {
	if r.first[string(a.kind)+" "+identity] == a.at {
		r.add(a, n)
	}
}

// wireReport adds the asset of a file, its definition in the words of the wire. The nodes keep their places, so that a fault that the server
// finds can be told at its line.
func (r *reader) wireReport(f *file) {
	n := f.root
	def := definition(n, "publicId", "source", "pivot", "query", "sql", "access")
	put(def, "source", wireHost(n.Get("source")))
	put(def, "sqlQuery", r.sql(f))
	if pivot := n.Get("pivot"); pivot != nil {
		put(def, "pivotItems", wholePivot(pivot))
	}
	if query := n.Get("query"); query != nil {
		text := query
		if query.Kind == yaml.Mapping {
			text = textAt(query.Place, compact(query.Value()))
		}
		put(def, "jsonQuery", text)
	}
	if access := n.Get("access"); access != nil {
		put(def, "access", r.access(access))
	}
	id := n.Get("publicId")
	r.addFirst(&asset{kind: portable.KindReport, ref: r.wireID(id.Text), def: def, file: f, at: id.Place}, n, id.Text)
}

// sql returns the SQL of a report, from its file or the one beside it; nil for none.
func (r *reader) sql(f *file) *yaml.Node {
	inside := f.root.Get("sql")
	switch {
	case f.sql == nil:
		return inside
	case inside != nil:
		r.faults.add(yaml.RuleKey, inside.Place, "the SQL stands in %s as well: keep one of them", f.sql.name)
	case !utf8.ValidString(f.sql.text):
		r.faults.add(RuleFile, yaml.Place{File: f.sql.name}, "is not UTF-8: save it so")
	}
	return yaml.Lines(f.sql.name, readSQL(f.sql.text))
}

// readSQL returns the SQL of a file as it is, but for what a checkout or an editor on Windows adds: a byte order mark, and \r\n as the
// break of every line.
func readSQL(text string) string {
	text = strings.TrimPrefix(text, "\uFEFF")
	if allCRLF(text) {
		return strings.ReplaceAll(text, "\r\n", "\n")
	}
	return text
}

func allCRLF(text string) bool {
	n := strings.Count(text, "\n")
	return n > 0 && strings.Count(text, "\r\n") == n
}

// wholePivot returns a pivot with all of the lists that the wire requires.
func wholePivot(n *yaml.Node) *yaml.Node {
	if n.Kind != yaml.Mapping {
		return n
	}
	for _, name := range []string{"rows", "columns", "measures", "filters"} {
		if n.Get(name) == nil {
			n.Pairs = append(n.Pairs, yaml.Pair{Key: textAt(n.Place, name), Value: &yaml.Node{Kind: yaml.List, Place: n.Place}})
		}
	}
	return n
}

// access returns the roles with access by the ids that the environment has for their names.
func (r *reader) access(n *yaml.Node) *yaml.Node {
	if n.Kind != yaml.Mapping {
		return n
	}
	roles := &yaml.Node{Kind: yaml.List, Place: n.Place}
	for _, p := range n.Pairs {
		id := r.Project.Environment.Roles[p.Key.Text]
		role := &yaml.Node{Kind: yaml.Mapping, Place: p.Key.Place}
		put(role, "id", &yaml.Node{Kind: yaml.Number, Place: p.Key.Place, Text: fmt.Sprint(id)})
		put(role, "name", p.Key)
		put(role, "actions", p.Value)
		roles.Items = append(roles.Items, role)
	}
	return roles
}

func (r *reader) wireWorkbook(f *file) {
	n := f.root
	for _, chart := range charts(n.Get("dashboard")) {
		r.wireChart(chart)
	}
	slug, _ := record.NormalSlug(n.Get("slug").Text)
	a := &asset{kind: portable.KindWorkbook, ref: slug, def: definition(n, "slug"), file: f, at: n.Get("slug").Place}
	r.addFirst(a, n, slug)
}

// charts returns the widgets of a dashboard that are charts.
func charts(dashboard *yaml.Node) (found []*yaml.Node) {
	widgets := dashboard.Get("widgets")
	if widgets == nil {
		return nil
	}
	for _, w := range widgets.Items {
		if kind := w.Get("type"); kind != nil && kind.Text == "CHART" {
			found = append(found, w)
		}
	}
	return found
}

// wireChart makes a chart name its report by publicId as the wire does.
func (r *reader) wireChart(chart *yaml.Node) {
	config := chart.Get("config")
	if report := config.Get("report"); report == nil || report.Kind != yaml.Text {
		return // which is reported
	}
	for i, p := range config.Pairs {
		if p.Key.Text == "report" {
			config.Pairs[i].Key = textAt(p.Key.Place, "reportPublicId")
			r.refs = append(r.refs, p.Value)
		}
	}
}

func (r *reader) wirePlacements(f *file) {
	document, host := f.root.Get("document"), f.root.Get("host")
	for i, item := range f.root.Get("items").Items {
		def := definition(item, "report", "at", "sheet", "statusCell", "fillRight")
		cell, _ := placements.ParseAnchor(item.Get("at").Text)
		place := placements.Address{Document: document.Text, Sheet: item.Get("sheet").Text, Anchor: cell}
		report := textAt(item.Get("report").Place, item.Get("report").Text)
		r.refs = append(r.refs, report)
		put(def, "report", report)
		put(def, "host", wireHost(host))
		put(def, "document", document)
		put(def, "sheet", item.Get("sheet"))
		put(def, "anchor", textAt(item.Get("at").Place, cell.String()))
		put(def, "statusCell", normalCell(item.Get("statusCell")))
		put(def, "fillRight", normalColumns(item.Get("fillRight")))
		a := &asset{kind: portable.KindPlacement, ref: placementRef(place.Document, place.Sheet, cell.String()), def: def, file: f, item: i, at: item.Place}
		r.addFirst(a, item, place.Key())
	}
}

// wireHost is a kind of spreadsheet as the server has it; null, none and other sources stay.
func wireHost(n *yaml.Node) *yaml.Node {
	if !isText(n) {
		return n
	}
	if kind, word := placements.ParseHost(n.Text); word {
		return textAt(n.Place, string(kind))
	}
	return n
}

// normalCell is a cell as the server has it, such as B1 for $b$1; null and none stay.
func normalCell(n *yaml.Node) *yaml.Node {
	if !isText(n) {
		return n
	}
	cell, _ := placements.ParseAnchor(n.Text)
	return textAt(n.Place, cell.String())
}

// normalColumns are columns as the server has them, such as F:H for $f:$h; null and none stay.
func normalColumns(n *yaml.Node) *yaml.Node {
	if !isText(n) {
		return n
	}
	columns, _ := placements.ParseColumns(n.Text)
	return textAt(n.Place, columns.String())
}

// placementRef is the ref of a placement.
func placementRef(document, sheet, anchor string) string {
	return document + "/" + sheet + "!" + anchor
}

func (r *reader) wireSchedule(f *file) {
	n := f.root
	def := definition(n, "key", "cron", "target")
	when := n.Get("cron")
	if when.Kind == yaml.Text {
		when = &yaml.Node{Kind: yaml.List, Place: when.Place, Items: []*yaml.Node{when}}
	}
	put(def, "cron", when)
	from := n.Get("target")
	target := &yaml.Node{Kind: yaml.Mapping, Place: from.Place}
	report := textAt(from.Get("report").Place, from.Get("report").Text)
	r.refs = append(r.refs, report)
	put(target, "publicId", report)
	put(target, "document", from.Get("document"))
	put(target, "address", from.Get("at"))
	put(def, "target", target)
	ref := n.Get("key").Text
	r.addFirst(&asset{kind: portable.KindSchedule, ref: ref, def: def, file: f, at: n.Get("key").Place}, n, ref)
}

// wireID is the publicId that a report of the folder has in the environment.
func (f *Folder) wireID(publicID string) string {
	if e := f.Project.Environment; e.Derived && !slices.Contains(f.Project.external, publicID) {
		return record.DerivedID(e.Name, publicID)
	}
	return publicID
}

// link makes what refers to reports name them as the environment does, and refuses what names none.
func (r *reader) link() {
	r.unknown()
	r.roomAbove()
	for _, ref := range r.refs {
		ref.Text = r.wireID(ref.Text)
	}
	slices.SortStableFunc(r.assets, func(a, b *asset) int {
		return cmp.Or(rank(a.kind)-rank(b.kind), cmp.Compare(a.ref, b.ref))
	})
}
