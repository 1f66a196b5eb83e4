package graphfake

import (
	"net/http"
	"regexp"
	"strings"
	"unicode/utf8"

	"mooring/placements"
	"mooring/refresh/host/hosttest/book"
)

var (
	nameForm = regexp.MustCompile(`^[\pL_\\][\pL\pN_.\\?]*$`)
	textForm = regexp.MustCompile(`^="([^"]{1,255})"$`)
	cellForm = regexp.MustCompile(`(?i)^([a-z]{1,3}[0-9]+|r[0-9]*c?[0-9]*|c)$`)
)

func addName(b *book.Book, x exchange) (int, any, error) {
	var n struct {
		Name      string `json:"name"`
		Reference string `json:"reference"`
		Comment   string `json:"comment"`
	}
	if err := decodeStrict(x.body, &n); err != nil {
		return 0, nil, err
	}
	l, err := placements.ParseLocation(strings.TrimPrefix(n.Reference, "="))
	on := b.Sheet(l.Sheet)
	text := textForm.FindStringSubmatch(n.Reference)
	switch {
	case !nameForm.MatchString(n.Name) || utf8.RuneCountInString(n.Name) > 255 || cellForm.MatchString(n.Name):
		return 0, nil, invalid("The name %q is not valid.", n.Name)
	case text == nil && (err != nil || on == nil || !strings.HasPrefix(n.Reference, "=") || strings.Count(n.Reference, "$") < 2):
		return 0, nil, invalid("The reference %q is not valid.", n.Reference)
	case len(n.Comment) > 255:
		return 0, nil, invalid("The comment is too long.")
	case b.Name(n.Name) != nil:
		return 0, nil, &apiError{http.StatusConflict, "itemAlreadyExists", "The resource being created already exists."}
	}
	if text != nil {
		b.AddName(book.Name{Name: n.Name, Comment: n.Comment, Text: text[1]})
		return http.StatusCreated, nameObject(b.Name(n.Name)), nil
	}
	b.AddName(book.Name{Name: n.Name, Comment: n.Comment, Sheet: on, Rect: book.Region{Row: l.Anchor.Row, Column: l.Anchor.Column, Rows: l.Rows, Columns: l.Columns}})
	return http.StatusCreated, nameObject(b.Name(n.Name)), nil
}

// named reads or deletes a name. The service changes no more of one than its comment and visibility.
func named(b *book.Book, name string, x exchange) (int, any, error) {
	n := b.Name(name)
	if n == nil {
		return 0, nil, missing("itemNotFound", "The requested resource doesn't exist.")
	}
	if x.method == http.MethodDelete {
		b.DeleteName(name)
		return http.StatusNoContent, nil, nil
	}
	if x.method == http.MethodPatch {
		var change struct {
			Comment *string `json:"comment"`
			Visible *bool   `json:"visible"`
		}
		if err := decodeStrict(x.body, &change); err != nil || change.Comment == nil && change.Visible == nil {
			return 0, nil, invalid("A name has a comment and a visibility that can be changed.")
		}
		if change.Comment != nil {
			n.Comment = *change.Comment
		}
		if change.Visible != nil {
			n.Hidden = !*change.Visible
		}
		b.Revision++
		return selected(http.StatusOK, x, nameObject(n))
	}
	return answer(x, nameObject(n))
}

// nameObject is a name as recorded traffic shows it: its value has no =.
func nameObject(n *book.Name) map[string]any {
	value, kind := "#REF!", "Range"
	if n.Text != "" {
		value, kind = n.Text, "String"
	}
	if n.Sheet != nil {
		first := placements.Anchor{Row: n.Rect.Row, Column: n.Rect.Column}
		last := placements.Anchor{Row: n.Rect.Row + n.Rect.Rows - 1, Column: n.Rect.Column + n.Rect.Columns - 1}
		value = "'" + strings.ReplaceAll(n.Sheet.Title, "'", "''") + "'!" + absolute(first)
		if first != last {
			value += ":" + absolute(last)
		}
	}
	scope := "Workbook"
	if n.Local {
		scope = "Worksheet"
	}
	return map[string]any{"name": n.Name, "type": kind, "value": value, "visible": !n.Hidden, "scope": scope, "comment": n.Comment}
}

// namedRange answers the cells that a name of the workbook stands for.
func namedRange(doc *document, name string, x exchange) (int, any, error) {
	n := doc.Name(name)
	if n == nil || n.Sheet == nil || x.method != http.MethodGet {
		return 0, nil, missing("itemNotFound", "The requested resource doesn't exist.")
	}
	first := placements.Anchor{Row: n.Rect.Row, Column: n.Rect.Column}
	last := placements.Anchor{Row: n.Rect.Row + n.Rect.Rows - 1, Column: n.Rect.Column + n.Rect.Columns - 1}
	return bounded(n.Sheet, n.Rect, first.String()+":"+last.String(), x)
}

// dateFunction is Excel's DATE, of one day.
func dateFunction(b *book.Book, x exchange) (int, any, error) {
	if x.method != http.MethodPost || string(x.body) != `{"year":2000,"month":1,"day":1}` {
		return 0, nil, invalid("The fake knows DATE(2000, 1, 1) only, not %s.", x.body)
	}
	day := 36526
	if b.Date1904 {
		day -= 1462
	}
	return http.StatusOK, map[string]any{"value": day, "error": nil}, nil
}

func absolute(a placements.Anchor) string {
	cell := a.String()
	digits := strings.IndexAny(cell, "0123456789")
	return "$" + cell[:digits] + "$" + cell[digits:]
}
