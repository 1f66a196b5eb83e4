package files

import (
	"encoding/hex"
	"math"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"mooring/refresh/source/sqlite"
)

// nestedWriter writes lists, maps and groups as JSON. The values of each leaf below a node come with levels: how deep the value is there, and which
// of the lists above it goes on with it.
type nestedWriter struct {
	text   []byte
	leaves map[*parquet.Column]parquetLeaf
	failed error
}

// addTo adds the value of a column, of which these are the values by leaf.
func (w *nestedWriter) addTo(to sqlite.Rows, of *parquet.Column, values [][]parquet.Value) error {
	w.text = w.text[:0]
	w.node(of, values)
	if w.failed != nil {
		return w.failed
	}
	if string(w.text) == "null" {
		to.Null()
	} else {
		to.Text(w.text)
	}
	return nil
}

// level is how deep the values are there; 0 without any.
func level(values [][]parquet.Value) int {
	if len(values) == 0 || len(values[0]) == 0 {
		return 0
	}
	return values[0][0].DefinitionLevel()
}

func (w *nestedWriter) node(of *parquet.Column, values [][]parquet.Value) {
	switch {
	case of.Repeated():
		w.repeated(of, values, '[', ']', func(one [][]parquet.Value) { w.value(of, one) })
	case of.Optional() && level(values) < of.MaxDefinitionLevel():
		w.text = append(w.text, "null"...)
	default:
		w.value(of, values)
	}
}

// value writes one value of a node that is there.
func (w *nestedWriter) value(of *parquet.Column, values [][]parquet.Value) {
	switch {
	case of.Leaf():
		w.leaf(of, values)
	case isList(of):
		w.list(of.Columns()[0], of.Name(), values)
	case isMap(of):
		w.mapping(of.Columns()[0], values)
	default:
		w.group(of, values)
	}
}

// isList reports whether a node is a list, which has a repeated one below it.
func isList(of *parquet.Column) bool {
	logical := of.Type().LogicalType()
	if logical == nil || len(of.Columns()) != 1 || !of.Columns()[0].Repeated() {
		return false
	}
	_, ok := logical.Value.(*format.ListType)
	return ok
}

// isMap reports whether a node is a map, which has repeated pairs of keys and values below it.
func isMap(of *parquet.Column) bool {
	logical := of.Type().LogicalType()
	if logical == nil || len(of.Columns()) != 1 || !of.Columns()[0].Repeated() || len(of.Columns()[0].Columns()) != 2 || !of.Columns()[0].Columns()[0].Leaf() {
		return false
	}
	_, ok := logical.Value.(*format.MapType)
	return ok
}

// list writes a list by its repeated node: the one node in it is an element, but of lists that older programs wrote it is the element itself.
func (w *nestedWriter) list(repeated *parquet.Column, name string, values [][]parquet.Value) {
	inner := repeated.Columns()
	itself := len(inner) != 1 || repeated.Name() == "array" || repeated.Name() == name+"_tuple"
	w.repeated(repeated, values, '[', ']', func(one [][]parquet.Value) {
		if itself {
			w.value(repeated, one)
		} else {
			w.node(inner[0], one)
		}
	})
}

// mapping writes a map as an object, whose keys are texts.
func (w *nestedWriter) mapping(pairs *parquet.Column, values [][]parquet.Value) {
	key, value := pairs.Columns()[0], pairs.Columns()[1]
	w.repeated(pairs, values, '{', '}', func(one [][]parquet.Value) {
		begin := len(w.text)
		w.node(key, one[:1])
		if written := slices.Clone(w.text[begin:]); written[0] != '"' {
			w.quoted(w.text[:begin], written)
		}
		w.text = append(w.text, ':')
		w.node(value, one[1:])
	})
}

func (w *nestedWriter) group(of *parquet.Column, values [][]parquet.Value) {
	w.text = append(w.text, '{')
	for i, c := range of.Columns() {
		if i > 0 {
			w.text = append(w.text, ',')
		}
		w.quoted(w.text, []byte(c.Name()))
		w.text = append(w.text, ':')
		n := countLeaves(c)
		w.node(c, values[:n])
		values = values[n:]
	}
	w.text = append(w.text, '}')
}

// repeated writes each of the values of a repeated node between brackets.
func (w *nestedWriter) repeated(of *parquet.Column, values [][]parquet.Value, opening, closing byte, each func([][]parquet.Value)) {
	w.text = append(w.text, opening)
	for n := 0; level(values) >= of.MaxDefinitionLevel(); n++ {
		if n > 0 {
			w.text = append(w.text, ',')
		}
		one := make([][]parquet.Value, len(values))
		rest := make([][]parquet.Value, len(values))
		for i, of1 := range values {
			end := 1
			for end < len(of1) && of1[end].RepetitionLevel() > of.MaxRepetitionLevel() {
				end++
			}
			end = min(end, len(of1))
			one[i], rest[i] = of1[:end], of1[end:]
		}
		each(one)
		values = rest
	}
	w.text = append(w.text, closing)
}

// quoted writes a text as JSON behind another.
func (w *nestedWriter) quoted(behind, text []byte) {
	w.text, _ = jsontext.AppendQuote(behind, text) // what is no UTF-8 is replaced
}

// leaf writes a value of a leaf.
func (w *nestedWriter) leaf(of *parquet.Column, values [][]parquet.Value) {
	leaf, known := w.leaves[of]
	if !known {
		var err error
		if leaf, err = leafOf(of); err != nil {
			w.failed = err
			return
		}
		if w.leaves == nil {
			w.leaves = map[*parquet.Column]parquetLeaf{}
		}
		w.leaves[of] = leaf
	}
	switch {
	case len(values[0]) == 0 || values[0][0].IsNull():
		w.Null()
	case leaf.declared == "BOOLEAN":
		w.text = strconv.AppendBool(w.text, values[0][0].Boolean())
	default:
		leaf.add(w, values[0][0])
	}
}

var _ sqlite.Rows = (*nestedWriter)(nil)

// Null writes null.
func (w *nestedWriter) Null() { w.text = append(w.text, "null"...) }

// Int writes an integer.
func (w *nestedWriter) Int(v int64) { w.text = strconv.AppendInt(w.text, v, 10) }

// Real writes a number, and null for what JSON has none for.
func (w *nestedWriter) Real(v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		w.Null()
		return
	}
	w.text = strconv.AppendFloat(w.text, v, 'g', -1, 64)
}

// Text writes a text.
func (w *nestedWriter) Text(text []byte) { w.quoted(w.text, text) }

// Blob writes bytes as hexadecimal text, as cells have them.
func (w *nestedWriter) Blob(blob []byte) { w.quoted(w.text, hex.AppendEncode(nil, blob)) }

// End ends nothing: a value is no row.
func (w *nestedWriter) End() error { return nil }
