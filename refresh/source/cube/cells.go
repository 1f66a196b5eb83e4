package cube

import (
	"encoding/json"
	"time"

	"mooring/checksum"
	"mooring/refresh/source"
)

// jsonKind is what Cube says the values of a column are. The values themselves come as the database's driver has them:
// numbers mostly as strings, so that no digit is lost.
type jsonKind int

const (
	kindAny jsonKind = iota // go by the JSON value
	kindNumber
	kindString
	kindBool
	kindTime
	kindDate
)

// annotatedKind reads a type of /v1/load's annotation.
func annotatedKind(name string) jsonKind {
	switch name {
	case "number":
		return kindNumber
	case "string":
		return kindString
	case "boolean":
		return kindBool
	case "time":
		return kindTime
	}
	return kindAny
}

// columnKind reads a column_type of /v1/cubesql: a name, or an object of the name and its parameters.
func columnKind(raw json.RawMessage) jsonKind {
	var name string
	var with map[string]json.RawMessage
	if json.Unmarshal(raw, &name) != nil && json.Unmarshal(raw, &with) == nil {
		for name = range with {
		}
	}
	switch name {
	case "Int8", "Int32", "Int64", "Double", "Decimal":
		return kindNumber
	case "String", "VarStr":
		return kindString
	case "Boolean":
		return kindBool
	case "Timestamp":
		return kindTime
	case "Date":
		return kindDate
	}
	return kindAny
}

func (k jsonKind) format() string {
	switch k {
	case kindTime:
		return checksum.DateTimeFormat
	case kindDate:
		return checksum.DateFormat
	}
	return ""
}

// jsonCell appends the values of one column.
type jsonCell struct {
	kind     jsonKind
	location *time.Location
}

func (c jsonCell) append(b *checksum.Builder, value json.RawMessage) {
	switch value[0] {
	case 'n':
		b.Empty()
	case 't', 'f':
		c.literal(b, value, func() { b.Bool(value[0] == 't') })
	case '"':
		var s string
		if err := json.Unmarshal(value, &s); err != nil { // the decoder has seen to that
			b.TextBytes(value)
			return
		}
		c.text(b, s)
	case '{', '[':
		b.JSON(value)
	default:
		c.literal(b, value, func() { c.number(b, string(value)) })
	}
}

// literal appends true, 12.5 and the like, as its own text to a column of strings.
func (c jsonCell) literal(b *checksum.Builder, value json.RawMessage, append func()) {
	if c.kind == kindString {
		b.TextBytes(value)
		return
	}
	append()
}

func (c jsonCell) number(b *checksum.Builder, s string) {
	if c.kind == kindBool && (s == "1" || s == "0") {
		b.Bool(s == "1")
		return
	}
	b.Decimal(s)
}

func (c jsonCell) text(b *checksum.Builder, s string) {
	switch c.kind {
	case kindNumber:
		b.Decimal(s)
	case kindTime, kindDate:
		source.AppendMomentText(b, []byte(s), c.location)
	case kindBool:
		switch s {
		case "true", "t", "1":
			b.Bool(true)
		case "false", "f", "0":
			b.Bool(false)
		default:
			b.Text(s)
		}
	default:
		b.Text(s)
	}
}
