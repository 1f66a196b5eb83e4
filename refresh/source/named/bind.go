package named

import (
	"fmt"
	"slices"
	"strings"

	"mooring/placements"
	"mooring/refresh/source"
)

// Statement is a query with places for values, and the values.
type Statement struct {
	SQL    string
	Values []Value

	text   string // as it was written
	places []place
}

// Value is what is bound at a place.
type Value struct {
	Name string // of SQLite's variable; empty: places are counted, from 1
	placements.Scalar
}

// place is where the statement has something else than the text.
type place struct {
	sql, text   int // the first byte in each
	size, named int // how many bytes it has in each
}

// Bind makes a statement of a text and the values of its parameters. Without any it is the text as it is. The error is a *placements.Fault, within a
// *source.PositionError where it has a place in the text.
func (d Dialect) Bind(text string, with placements.Arguments) (*Statement, error) {
	s := &Statement{SQL: text, text: text}
	if len(with) == 0 {
		return s, nil
	}
	names, fault := d.names(text)
	if fault != nil {
		return nil, source.AtByte(source.Structure(nil, "what begins in the query with %.20q %s", text[fault.at:], fault.message), text, fault.at)
	}
	b := &binding{Statement: s, with: with, first: map[string]int{}}
	at := 0
	for _, n := range names {
		b.out.WriteString(text[at:n.begin])
		begin := b.out.Len()
		if err := b.put(d, n); err != nil {
			return nil, source.AtByte(err, text, n.begin)
		}
		s.places = append(s.places, place{begin, n.begin, b.out.Len() - begin, n.end - n.begin})
		at = n.end
	}
	b.out.WriteString(text[at:])
	s.SQL = b.out.String()
	return s, nil
}

// Original is the byte of the text as it was written that a byte of the statement stands for.
func (s *Statement) Original(offset int) int {
	moved := 0
	for _, p := range s.places {
		switch {
		case offset < p.sql:
			return offset + moved
		case offset < p.sql+p.size:
			return p.text
		}
		moved = p.text + p.named - p.sql - p.size
	}
	return offset + moved
}

// AtByte is source.AtByte for a byte of the statement, in the text as it was written.
func (s *Statement) AtByte(fault error, offset int) error {
	if offset < 0 || offset > len(s.SQL) {
		return fault
	}
	return source.AtByte(fault, s.text, s.Original(offset))
}

// AtCharacter is AtByte for a character of the statement, counted from 1.
func (s *Statement) AtCharacter(fault error, character int) error {
	if character < 1 {
		return fault
	}
	for offset := range s.SQL {
		if character--; character == 0 {
			return s.AtByte(fault, offset)
		}
	}
	if character > 1 {
		return fault
	}
	return s.AtByte(fault, len(s.SQL))
}

// binding is a statement that is made.
type binding struct {
	*Statement
	with  placements.Arguments
	out   strings.Builder
	first map[string]int // where among the values those of a parameter begin
}

// put writes what stands for a name.
func (b *binding) put(d Dialect, n Name) error {
	a := b.with.Find(n.Name)
	switch {
	case a == nil:
		return source.Structure(nil, "the query names @%.80s, which is no parameter of the report: declare it", n.Name)
	case a.Value.IsList() && !n.Alone:
		return source.Structure(nil, "@%[1]s is a list, which stands alone in parentheses behind IN or NOT IN: write IN (@%[1]s)", n.Name)
	case len(a.Value.Scalars()) == 0:
		b.out.WriteString("NULL")
		return nil
	}
	return d.place(b, n)
}

// values are those of a name.
func (b *binding) values(n Name) []placements.Scalar { return b.with.Find(n.Name).Value.Scalars() }

// join writes a place for each value of a name, between blanks: nothing before or behind becomes part of it.
func (b *binding) join(n Name, one func(i int) string) {
	texts := make([]string, len(b.values(n)))
	for i := range texts {
		texts[i] = one(i)
	}
	b.out.WriteString(" " + strings.Join(texts, ", ") + " ")
}

// once binds the values of a name, if they are not yet, and returns where they begin.
func (b *binding) once(n Name, name func(i int) string) int {
	first, bound := b.first[n.Name]
	if bound {
		return first
	}
	first = len(b.Values)
	b.first[n.Name] = first
	for i, v := range b.values(n) {
		b.Values = append(b.Values, Value{name(i), v})
	}
	return first
}

// numbered is a place as in PostgreSQL: $1. A parameter that is named twice has the same number.
func numbered(b *binding, n Name) error {
	first := b.once(n, func(int) string { return "" })
	b.join(n, func(i int) string { return fmt.Sprintf("$%d", first+i+1) })
	return nil
}

// marked is a place as in MySQL: ?.
func marked(b *binding, n Name) error {
	for _, v := range b.values(n) {
		b.Values = append(b.Values, Value{Scalar: v})
	}
	b.join(n, func(int) string { return "?" })
	return nil
}

// variable is a place as in SQLite: @name, of a list one a value, whose names no parameter can have.
func variable(b *binding, n Name) error {
	name := func(int) string { return "@" + n.Name }
	if b.with.Find(n.Name).Value.IsList() {
		name = func(i int) string { return fmt.Sprintf("@%s$%d", n.Name, i+1) }
	}
	b.once(n, name)
	b.join(n, name)
	return nil
}

// literal is the value itself.
func literal(b *binding, n Name) error {
	texts := make([]string, len(b.values(n)))
	for i, v := range b.values(n) {
		text, err := Literal(b.with.Find(n.Name).Label(), v)
		if err != nil {
			return err
		}
		texts[i] = text
	}
	b.join(n, func(i int) string { return texts[i] })
	return nil
}

// Literal is a value as SQL has it, for servers that cannot bind: a number or a date as it is written, a text with its quotes doubled. A text
// is refused that some servers read otherwise. The fault says whose value it is, and quotes nothing of it.
func Literal(of string, v placements.Scalar) (string, error) {
	switch n, isNumber := v.Number(); {
	case isNumber && n < 0:
		return "(" + v.Text() + ")", nil
	case isNumber:
		return v.Text(), nil
	case !v.IsText():
		return strings.ToUpper(v.Text()), nil
	}
	if i := slices.IndexFunc([]byte(v.Text()), func(c byte) bool { return c == 0 || c == '\\' }); i >= 0 {
		return "", placements.ValueConflict(fmt.Sprintf("the value of %s holds a backslash or a NUL character, "+
			"which this source does not take: choose one without", of), nil)
	}
	return "'" + strings.ReplaceAll(v.Text(), "'", "''") + "'", nil
}
