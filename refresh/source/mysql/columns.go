package mysql

import (
	"errors"
	"reflect"

	"mooring/refresh/source"
)

// column is a column of a result as the server describes it.
type column struct {
	name             string
	kind             kind
	length           uint64 // of a value as it is shown
	unsigned, binary bool   // binary: without a character set
}

// kind is the type of a column in the protocol.
type kind uint8

// The types that have cells of their own. Others are decimals and texts.
const (
	kindDecimal    kind = 0
	kindTiny       kind = 1
	kindShort      kind = 2
	kindLong       kind = 3
	kindFloat      kind = 4
	kindDouble     kind = 5
	kindTimestamp  kind = 7
	kindLongLong   kind = 8
	kindInt24      kind = 9
	kindDate       kind = 10
	kindTime       kind = 11
	kindDateTime   kind = 12
	kindYear       kind = 13
	kindNewDate    kind = 14
	kindBit        kind = 16
	kindVector     kind = 242
	kindJSON       kind = 245
	kindNewDecimal kind = 246
	kindTinyBlob   kind = 249
	kindGeometry   kind = 255
)

const (
	flagUnsigned = 1 << 5
	noCharset    = 63
)

var errUnknownColumns = errors.New("the driver keeps what it knows of columns elsewhere")

// describedIn reads what the driver keeps of columns in one of its values, in the field at a path. The driver's interface leaves out how long a
// value is shown, by which the servers tell truth values from numbers, and what columns a statement has that was prepared and not run.
func describedIn(value any, path ...string) ([]column, error) {
	at := reflect.Indirect(reflect.ValueOf(value))
	for _, name := range path {
		if at = at.FieldByName(name); !at.IsValid() {
			return nil, errUnknownColumns
		}
	}
	if at.Kind() != reflect.Slice {
		return nil, errUnknownColumns
	}
	list := make([]column, at.Len())
	for i := range list {
		one := at.Index(i)
		name, kindOf, length := one.FieldByName("name"), one.FieldByName("fieldType"), one.FieldByName("length")
		flags, charset := one.FieldByName("flags"), one.FieldByName("charSet")
		if name.Kind() != reflect.String || !kindOf.CanUint() || !length.CanUint() || !flags.CanUint() || !charset.CanUint() {
			return nil, errUnknownColumns
		}
		list[i] = column{
			name: name.String(), kind: kind(kindOf.Uint()), length: length.Uint(), // #nosec G115 -- a byte of the protocol
			unsigned: flags.Uint()&flagUnsigned != 0, binary: charset.Uint() == noCharset,
		}
	}
	return list, nil
}

// isTruth reports whether values are truth values: of the types TINYINT(1), which BOOLEAN is, and BIT(1).
func (c column) isTruth() bool { return (c.kind == kindTiny || c.kind == kindBit) && c.length == 1 }

// fieldType is what the values of a column are as cells.
func (c column) fieldType() source.FieldType {
	switch c.kind {
	case kindTiny, kindShort, kindLong, kindLongLong, kindInt24, kindYear, kindBit, kindFloat, kindDouble, kindDecimal, kindNewDecimal:
		if c.isTruth() {
			return source.TypeBoolean
		}
		return source.TypeNumber
	case kindDate, kindNewDate:
		return source.TypeDate
	case kindDateTime, kindTimestamp:
		return source.TypeDateTime
	case kindTime:
		return source.TypeDuration
	case kindJSON:
		return source.TypeJSON
	case kindVector, kindGeometry:
		return source.TypeOther
	}
	if c.isBinary() {
		return source.TypeOther
	}
	return source.TypeText
}

// isBinary reports whether values are bytes: of blobs, of the binary types of characters, of shapes and vectors.
func (c column) isBinary() bool {
	return c.kind == kindVector || c.kind == kindGeometry || c.binary && c.kind >= kindTinyBlob
}
