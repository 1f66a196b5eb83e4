package googlefake

import "strings"

// mask is a parsed field mask: a member's own mask by its name. An empty one means all of the member.
type mask map[string]mask

// parseMask reads a mask in the API's form, such as a,b(c,d.e), against the members that a resource has.
func parseMask(text string, schema mask) (mask, error) {
	p := &maskParser{rest: text}
	m, err := p.list(schema)
	if err == nil && p.rest != "" {
		err = invalid("Invalid field mask %q", text)
	}
	return m, err
}

type maskParser struct{ rest string }

func (p *maskParser) list(schema mask) (mask, error) {
	m := mask{}
	for {
		if err := p.path(m, schema); err != nil {
			return nil, err
		}
		if !strings.HasPrefix(p.rest, ",") {
			return m, nil
		}
		p.rest = p.rest[1:]
	}
}

// path reads one member with what follows it, into m.
func (p *maskParser) path(m, schema mask) error {
	end := strings.IndexAny(p.rest, ",.()/")
	if end < 0 {
		end = len(p.rest)
	}
	name := p.rest[:end]
	p.rest = p.rest[end:]
	below, known := schema[name]
	if !known {
		return invalid("Error expanding 'fields' parameter. Cannot find matching fields for path %q.", name)
	}
	if m[name] == nil {
		m[name] = mask{}
	}
	switch {
	case strings.HasPrefix(p.rest, "(") && len(below) > 0:
		p.rest = p.rest[1:]
		inner, err := p.list(below)
		if err != nil {
			return err
		}
		if !strings.HasPrefix(p.rest, ")") {
			return invalid("Invalid field mask: ) is missing")
		}
		p.rest = p.rest[1:]
		for k, v := range inner {
			m[name][k] = v
		}
	case (strings.HasPrefix(p.rest, ".") || strings.HasPrefix(p.rest, "/")) && len(below) > 0:
		p.rest = p.rest[1:]
		return p.path(m[name], below)
	}
	return nil
}

// has reports whether a path of members is asked for.
func (m mask) has(path ...string) bool {
	for _, name := range path {
		if len(m) == 0 {
			return true // all of it
		}
		below, ok := m[name]
		if !ok {
			return false
		}
		m = below
	}
	return true
}

func members(names ...string) mask {
	m := mask{}
	for _, n := range names {
		m[n] = nil
	}
	return m
}

var (
	gridRangeSchema = members("sheetId", "startRowIndex", "endRowIndex", "startColumnIndex", "endColumnIndex")
	valueSchema     = members("numberValue", "stringValue", "boolValue", "formulaValue", "errorValue")
	formatSchema    = mask{"numberFormat": members("type", "pattern")}
	cellSchema      = mask{"userEnteredValue": valueSchema, "effectiveValue": valueSchema, "userEnteredFormat": formatSchema, "effectiveFormat": formatSchema}
	schema          = mask{
		"spreadsheetId":     nil,
		"namedRanges":       mask{"namedRangeId": nil, "name": nil, "range": gridRangeSchema},
		"developerMetadata": members("metadataId", "metadataKey", "metadataValue"),
		"sheets": mask{
			"properties": mask{
				"sheetId": nil, "title": nil, "index": nil, "sheetType": nil,
				"gridProperties": members("rowCount", "columnCount"),
			},
			"merges": gridRangeSchema,
			"data": mask{
				"startRow": nil, "startColumn": nil, "rowData": mask{"values": cellSchema},
				"rowMetadata": members("hiddenByUser", "hiddenByFilter"), "columnMetadata": members("hiddenByUser", "hiddenByFilter"),
			},
		},
	}
)
