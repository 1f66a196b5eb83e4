package files

import (
	"encoding/hex"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"mooring/refresh/source/sqlite"
)

// parquetLeaf is how the values of a leaf of a Parquet file's schema are added.
type parquetLeaf struct {
	declared string
	add      func(to sqlite.Rows, v parquet.Value) // of a value that is not null
}

// manyDigits declares decimals of which some have more digits than a double: those are texts, which a column of another type would make numbers.
const manyDigits = "DECIMAL BLOB"

// leafOf returns how values are added by the logical type of the leaf, else by its physical one.
func leafOf(c *parquet.Column) (parquetLeaf, error) {
	if logical := c.Type().LogicalType(); logical != nil {
		switch is := logical.Value.(type) {
		case *format.StringType, *format.EnumType:
			return parquetLeaf{"TEXT", addBytes}, nil
		case *format.JsonType:
			return parquetLeaf{"JSON", addBytes}, nil
		case *format.UUIDType:
			return parquetLeaf{"TEXT", addUUID}, nil
		case *format.DateType:
			return parquetLeaf{"DATE", addDate}, nil
		case *format.TimeType:
			return parquetLeaf{"TIME", timeAdder(is.Unit.Value.Duration())}, nil
		case *format.TimestampType:
			return timestampLeaf(is), nil
		case *format.DecimalType:
			return decimalLeaf(c, int(is.Scale))
		case *format.IntType:
			if !is.IsSigned {
				return parquetLeaf{unsignedType(is), addUnsigned}, nil
			}
		}
	}
	return physicalLeaf(c), nil
}

func physicalLeaf(c *parquet.Column) parquetLeaf {
	switch c.Type().Kind() {
	case parquet.Boolean:
		return parquetLeaf{"BOOLEAN", func(to sqlite.Rows, v parquet.Value) { (&adder{Rows: to}).truth(v.Boolean()) }}
	case parquet.Int32:
		return parquetLeaf{"INTEGER", func(to sqlite.Rows, v parquet.Value) { to.Int(int64(v.Int32())) }}
	case parquet.Int64:
		return parquetLeaf{"INTEGER", func(to sqlite.Rows, v parquet.Value) { to.Int(v.Int64()) }}
	case parquet.Int96:
		return parquetLeaf{"TIMESTAMP", addInt96}
	case parquet.Float:
		return parquetLeaf{"REAL", addFloat}
	case parquet.Double:
		return parquetLeaf{"REAL", func(to sqlite.Rows, v parquet.Value) { to.Real(v.Double()) }}
	}
	return parquetLeaf{"BLOB", func(to sqlite.Rows, v parquet.Value) { to.Blob(v.ByteArray()) }}
}

func addBytes(to sqlite.Rows, v parquet.Value) { to.Text(v.ByteArray()) }

// addFloat adds a number by the digits that it is written with.
func addFloat(to sqlite.Rows, v parquet.Value) {
	f, _ := strconv.ParseFloat(strconv.FormatFloat(float64(v.Float()), 'g', -1, 32), 64)
	to.Real(f)
}

func addUUID(to sqlite.Rows, v parquet.Value) {
	const bytes, dashes = 16, "00000000-0000-0000-0000-000000000000"
	id := v.ByteArray()
	if len(id) != bytes {
		to.Blob(id)
		return
	}
	text := []byte(dashes)
	for i, group := range [][2]int{{0, 4}, {4, 6}, {6, 8}, {8, 10}, {10, 16}} {
		hex.Encode(text[2*group[0]+i:], id[group[0]:group[1]])
	}
	to.Text(text)
}

// What SQLite's own functions write, and read.
const (
	timeForm     = "15:04:05.999999999"
	dateTimeForm = time.DateOnly + " " + timeForm
)

func addDate(to sqlite.Rows, v parquet.Value) {
	day := time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, int(v.Int32()))
	to.Text(day.AppendFormat(nil, time.DateOnly))
}

func timeAdder(unit time.Duration) func(sqlite.Rows, parquet.Value) {
	return func(to sqlite.Rows, v parquet.Value) {
		to.Text(since(integer(v), unit).AppendFormat(nil, timeForm))
	}
}

func timestampLeaf(is *format.TimestampType) parquetLeaf {
	unit := is.Unit.Value.Duration()
	if is.IsAdjustedToUTC {
		return parquetLeaf{"TIMESTAMP", func(to sqlite.Rows, v parquet.Value) {
			to.Text(since(v.Int64(), unit).AppendFormat(nil, dateTimeForm+"Z"))
		}}
	}
	return parquetLeaf{"DATETIME", func(to sqlite.Rows, v parquet.Value) { to.Text(since(v.Int64(), unit).AppendFormat(nil, dateTimeForm)) }}
}

// since is so many units after 1970.
func since(n int64, unit time.Duration) time.Time {
	a := int64(time.Second / unit)
	return time.Unix(n/a, n%a*int64(unit)).UTC()
}

// addInt96 adds an instant of the form that older programs write: the nanoseconds of a day and the day, as Julian ones are counted.
func addInt96(to sqlite.Rows, v parquet.Value) {
	const epoch, secondsADay = 2440588, 24 * 60 * 60
	raw := v.Int96()
	nanos := int64(uint64(raw[1])<<32 | uint64(raw[0]))
	at := time.Unix((int64(raw[2])-epoch)*secondsADay, 0).UTC().Add(time.Duration(nanos))
	to.Text(at.AppendFormat(nil, dateTimeForm+"Z"))
}

// integer is a value of either size.
func integer(v parquet.Value) int64 {
	if v.Kind() == parquet.Int32 {
		return int64(v.Int32())
	}
	return v.Int64()
}

func unsignedType(is *format.IntType) string {
	if is.BitWidth == 64 {
		return manyDigits
	}
	return "INTEGER"
}

func addUnsigned(to sqlite.Rows, v parquet.Value) {
	switch n := v.Uint64(); {
	case v.Kind() == parquet.Int32:
		to.Int(int64(v.Uint32()))
	case n > math.MaxInt64:
		to.Text(strconv.AppendUint(nil, n, 10))
	default:
		to.Int(int64(n))
	}
}

// maxScale is more digits behind the point than any program writes.
const maxScale = 1000

func decimalLeaf(c *parquet.Column, scale int) (parquetLeaf, error) {
	if scale < 0 || scale > maxScale {
		return parquetLeaf{}, wrong("column %q has decimals with %d digits behind the point; write it anew", c.Name(), scale)
	}
	return parquetLeaf{manyDigits, func(to sqlite.Rows, v parquet.Value) {
		switch v.Kind() {
		case parquet.Int32, parquet.Int64:
			addDecimal(to, strconv.FormatInt(integer(v), 10), scale)
		default:
			addDecimal(to, bigEndian(v.ByteArray()).String(), scale)
		}
	}}, nil
}

// bigEndian is an integer of two's complement.
func bigEndian(p []byte) *big.Int {
	n := new(big.Int).SetBytes(p)
	if len(p) > 0 && p[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(p))))
	}
	return n
}

// addDecimal adds an integer without its last scale digits, which stand behind the point: a number where a double holds all digits, else a text.
func addDecimal(to sqlite.Rows, digits string, scale int) {
	const held = 15
	sign := ""
	if rest, negative := strings.CutPrefix(digits, "-"); negative {
		sign, digits = "-", rest
	}
	if missing := scale + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	text := sign + digits
	if scale > 0 {
		point := len(digits) - scale
		text = sign + digits[:point] + "." + digits[point:]
	}
	if len(strings.Trim(digits, "0")) > held {
		to.Text([]byte(text))
		return
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		to.Int(n)
		return
	}
	v, _ := strconv.ParseFloat(text, 64) // at most a thousand digits behind the point
	to.Real(v)
}
