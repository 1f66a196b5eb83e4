package bind

import "strconv"

// Cells takes the cells of a table, row by row.
type Cells interface {
	Empty()
	Number(v float64)
	Text(s string)
	Bool(v bool)
	Error(code string)
	EndRow()
}

// maxErrorCode bounds the code of an error in a cell, such as #N/A.
const maxErrorCode = 64

// Table names a member that is an array of at most rows arrays of at most columns cells each: null, a number, a text, true, false, or
// {"error": code}. Sent reports whether the object has it.
func (o *Object) Table(name string, rows, columns int, into Cells, sent *bool) {
	if o.holds(name) {
		*sent = o.r.array(0, rows, func() {
			o.r.array(0, columns, func() { o.r.cell(into) })
			into.EndRow()
		})
	}
	var code string
	o.within(name, errorCell(&code))
}

// errorCell names what the object has that a cell with an error is.
func errorCell(code *string) func(*Object) {
	return func(o *Object) {
		o.Required("error")
		Text(o, "error", code, maxErrorCode, Filled)
	}
}

// cell reads one cell.
func (r *reader) cell(into Cells) {
	switch r.d.PeekKind() {
	case 'n':
		r.skip()
		into.Empty()
	case '"':
		into.Text(r.token().String())
	case 't', 'f':
		into.Bool(r.token().Bool())
	case '0':
		if v, err := strconv.ParseFloat(string(r.value()), 64); err == nil {
			into.Number(v)
		} else {
			r.fault("must be a number that a double holds")
		}
	case '{':
		var code string
		if r.object(errorCell(&code)) {
			into.Error(code)
		}
	default:
		r.is("", "null, a number, a string, true, false or an object with an error")
	}
}

// Parsed names a member that is an array of at most most texts, each of which parse reads; one that it refuses must be want.
func Parsed[T any](o *Object, name string, into *[]T, most int, want string, parse func(text string) (T, error)) {
	if !o.holds(name) {
		return
	}
	list := []T{}
	if o.r.array(0, most, func() {
		text, ok := o.r.text(AnyLength, nil)
		v, err := parse(text)
		if ok && err != nil {
			o.r.fault("must be %s", want)
		}
		list = append(list, v)
	}) {
		*into = list
	}
}
