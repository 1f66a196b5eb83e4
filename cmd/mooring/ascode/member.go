package ascode

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"mooring/placements"
	"mooring/storage/record/portable"
)

// said returns what an edit makes of what a file says of an asset.
func (a *asset) said(e *edit) map[string]any {
	if a.kind == portable.KindPlacement {
		return e.want["items"].([]any)[a.item].(map[string]any)
	}
	return e.want
}

// clear makes an asset's file say that a member of the definition has no value.
func (p *puller) clear(a *asset, member string) {
	e := p.edit(a.file)
	if member == "sqlQuery" {
		e.noSQL = true
	}
	a.said(e)[fileKey(a.kind, member)] = nil
}

// set makes an asset's file say that a member of the definition has a value; nil takes it out.
func (p *puller) set(a *asset, member string, v any) {
	e := p.edit(a.file)
	in := a.said(e)
	if member == "sqlQuery" {
		text, _ := v.(string)
		p.setSQL(a.file, e, text)
		return
	}
	name, value, err := p.said(a.kind, member, v, in)
	switch {
	case err != nil:
		p.note("%s: %s is left as it is in %s: %v", a, member, a.file.name, err)
	case value == nil:
		delete(in, name)
	default:
		in[name] = value
	}
}

// said returns what a file says of a member: under which key, and how. Old is what says it so far.
func (p *puller) said(kind portable.AssetKind, member string, v any, old map[string]any) (name string, value any, err error) {
	if v == nil || member == "rowKey" && empty(v) { // a list without columns is refused
		return fileKey(kind, member), nil, nil
	}
	switch string(kind) + "/" + member {
	case "report/pivotItems":
		v = writtenPivot(asMap(v), asMap(old["pivot"]))
	case "report/jsonQuery":
		v = query(fmt.Sprint(v))
	case "report/source":
		v = hostWord(fmt.Sprint(v), old["source"])
	case "report/access":
		v, err = p.roleNames(asMap(v))
	case "workbook/dashboard":
		v, err = p.drawn(v)
	case "placement/report":
		v, err = p.named(fmt.Sprint(v))
	case "placement/host":
		err = fmt.Errorf("all placements of a file have one host: move this one to another file")
	case "schedule/cron":
		v = oneOrMore(v, old["cron"])
	case "schedule/target":
		v, err = p.target(asMap(v), asMap(old["target"]))
		return "target", v, err
	}
	return fileKey(kind, member), escape(v), err
}

// hostWord returns how a file says a kind of spreadsheet: with the words of the wire where it has said one so, else with its own. Other
// sources have one name.
func hostWord(v string, old any) string {
	host, is := placements.ParseHost(v)
	if before, _ := old.(string); !is || before != "" && before == strings.ToUpper(before) {
		return v
	}
	return host.Word()
}

// fileKey is the key under which files of a kind have a member of the definition.
func fileKey(kind portable.AssetKind, member string) string {
	switch string(kind) + "/" + member {
	case "report/pivotItems":
		return "pivot"
	case "report/jsonQuery":
		return "query"
	case "report/sqlQuery":
		return "sql"
	case "placement/anchor":
		return "at"
	}
	return member
}

// writtenPivot returns a pivot without the empty lists that a file need not have, and with the defaults that the old one writes.
func writtenPivot(pivot, old map[string]any) map[string]any {
	written := maps.Clone(pivot)
	for key, v := range pivot {
		if _, has := old[key]; empty(v) && !has {
			delete(written, key)
		}
	}
	byDefault := canonicalPivot(old)
	for key, v := range old {
		if _, decided := pivot[key]; !decided && gone(get(asMap(byDefault), key)) {
			written[key] = v
		}
	}
	return written
}

// query returns a jsonQuery as keys and values if that is sent as the same text, else as the text.
func query(text string) any {
	from := json.NewDecoder(strings.NewReader(text))
	from.UseNumber()
	var members map[string]any
	if from.Decode(&members) == nil && compact(members) == text {
		return members
	}
	return text
}

// oneOrMore returns a list of one as a text where the file writes it so.
func oneOrMore(v, old any) any {
	items, _ := v.([]any)
	if _, one := old.(string); len(items) == 1 && (one || old == nil) {
		return items[0]
	}
	return v
}

// named returns the publicId that files have for a report. One that this project does not have is listed as external.
func (p *puller) named(wire string) (string, error) {
	id := p.ids.of(wire)
	switch {
	case id == "" && p.reports[wire]:
		return "", fmt.Errorf("the report %s is %s", wire, notTraced)
	case id == "":
		id = wire
	}
	if _, here := p.Folder.reports[id]; !here && !p.reports[wire] && !slices.Contains(p.Project.external, id) {
		p.addExternal(id)
	}
	return id, nil
}

func (p *puller) addExternal(id string) {
	e := p.edit(p.project)
	listed, _ := e.want["external"].([]any)
	if !slices.Contains(listed, any(id)) {
		e.want["external"] = append(listed, id)
		p.note("the report %s belongs to no file here: it is listed under external in %s", id, projectFile)
	}
}

// roleNames returns access by the names that the environment has for roles.
func (p *puller) roleNames(byID map[string]any) (any, error) {
	byName := map[string]any{}
	for id, actions := range byID {
		name := ""
		for _, known := range names(p.Project.Environment.Roles) {
			if fmt.Sprint(p.Project.Environment.Roles[known]) == id {
				name = known
			}
		}
		if name == "" {
			return nil, fmt.Errorf("the role %s has no name in %s: add it to the environment's roles, then pull again", id, projectFile)
		}
		byName[name] = actions
	}
	return byName, nil
}

// drawn returns a dashboard whose charts name reports as files do.
func (p *puller) drawn(v any) (any, error) {
	dashboard := clone(v)
	widgets, _ := asMap(dashboard)["widgets"].([]any)
	for _, w := range widgets {
		config := asMap(asMap(w)["config"])
		wire, is := config["reportPublicId"].(string)
		if asMap(w)["type"] != "CHART" {
			continue
		}
		if !is {
			if id := config["reportId"]; id != nil {
				p.note("the chart %s shows report #%v, which is gone: it keeps its reportId until it is taken out", compact(asMap(w)["id"]), id)
			}
			continue
		}
		id, err := p.named(wire)
		if err != nil {
			return nil, err
		}
		delete(config, "reportPublicId")
		config["report"] = id
	}
	return dashboard, nil
}

// target returns what a schedule refreshes in the words of files. A document that did not change stays as it is written.
func (p *puller) target(v, old map[string]any) (any, error) {
	id, err := p.named(fmt.Sprint(v["publicId"]))
	target := map[string]any{"report": id}
	if address := v["address"]; !empty(address) {
		target["at"] = escape(address)
	}
	if document, is := v["document"].(string); is && document != "" {
		target["document"] = p.document(document, old["document"])
	}
	return target, err
}

// document returns how a file names a document: as it does, by a value of the environment, or by itself.
func (p *puller) document(document string, old any) any {
	if written, is := old.(string); is && p.resolved(written) == document {
		return old
	}
	var found []string
	for _, name := range names(p.Project.Environment.Values) {
		if p.Project.Environment.Values[name] == document {
			found = append(found, name)
		}
	}
	if len(found) == 1 {
		return "${" + found[0] + "}"
	}
	return escape(document)
}

// resolved returns a document's name with the environment's values.
func (p *puller) resolved(written string) string {
	return variable.ReplaceAllStringFunc(written, func(match string) string {
		if match == "$${" {
			return "${"
		}
		return p.Project.Environment.Values[variable.FindStringSubmatch(match)[1]]
	})
}

// setSQL makes a report's SQL a text. It stands beside the file, unless the file has it or only a YAML text can hold it as it is.
func (p *puller) setSQL(f *file, e *edit, text string) {
	_, inside := e.want["sql"]
	delete(e.want, "sql")
	switch {
	case text == "":
		e.noSQL = true
	case inside || readSQL(text) != text || !utf8.ValidString(text):
		e.want["sql"], e.noSQL = escape(text), true
	default:
		e.sql = &text
	}
}

// writeSQL adds the change of the SQL beside a file, with the line breaks that it has.
func (p *puller) writeSQL(f *file, e *edit) {
	switch {
	case e.noSQL && f.sql != nil:
		p.change(FileChange{File: f.sql.name, Delete: true})
	case e.sql == nil:
	case f.sql == nil:
		p.change(FileChange{File: stem(f.name) + ".sql", Text: *e.sql, New: true})
	default:
		text := *e.sql
		if crlf := strings.ReplaceAll(text, "\n", "\r\n"); allCRLF(f.sql.text) && readSQL(crlf) == text {
			text = crlf
		}
		p.change(FileChange{File: f.sql.name, Text: text})
	}
}
