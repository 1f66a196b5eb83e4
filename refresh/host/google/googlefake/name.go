package googlefake

import (
	"regexp"
	"slices"
	"strings"

	"mooring/refresh/host/hosttest/book"
)

var (
	nameForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,249}$`)
	cellForm = regexp.MustCompile(`(?i)^([a-z]{1,3}[0-9]+|r[0-9]*c[0-9]*|true.*|false.*)$`)
)

func (s *Server) addNamedRange(b *book.Book, n *namedRange) (any, error) {
	if n == nil || !nameForm.MatchString(n.Name) || cellForm.MatchString(n.Name) {
		return nil, invalid("The name is not valid.")
	}
	on, rect, err := n.Range.rect(b)
	if err != nil {
		return nil, err
	}
	if b.Name(n.Name) != nil {
		return nil, invalid("Cannot add named range with name: %s, a named range with that name already exists", n.Name)
	}
	id := n.NamedRangeID
	if id == "" {
		id = s.newNameID()
	}
	b.AddName(book.Name{ID: id, Name: n.Name, Sheet: on, Rect: rect})
	return map[string]any{"addNamedRange": map[string]any{
		"namedRange": namedRange{NamedRangeID: id, Name: n.Name, Range: rangeOf(on, rect)},
	}}, nil
}

func updateNamedRange(b *book.Book, n *namedRange, fields string) error {
	m, err := parseMask(fields, schema["namedRanges"])
	if err != nil {
		return err
	}
	if n == nil || m.has("namedRangeId") {
		return invalid("namedRangeId names the range and cannot be updated")
	}
	i := slices.IndexFunc(b.Names, func(have *book.Name) bool { return have.ID == n.NamedRangeID })
	if i < 0 {
		return invalid("No named range with id: %s", n.NamedRangeID)
	}
	if m.has("name") && !strings.EqualFold(n.Name, b.Names[i].Name) {
		return invalid("the fake renames no range")
	}
	if !m.has("range") {
		return nil
	}
	b.Names[i].Sheet, b.Names[i].Rect, err = n.Range.rect(b)
	return err
}

func deleteNamedRange(b *book.Book, id string) error {
	for _, n := range b.Names {
		if n.ID == id {
			b.DeleteName(n.Name)
			return nil
		}
	}
	return invalid("No named range with id: %s", id)
}
