package mysql

import (
	"slices"
	"strings"

	"mooring/refresh/source"
)

// reads are the words that a query may begin with.
var reads = []string{"select", "with", "values", "table", "("}

// wantRead refuses what is no query, several statements, and what a read-only transaction does not: to write files, to set variables by INTO,
// to lock rows that others may only read, and comments of which the server runs what they hold.
func wantRead(q source.Query) error {
	if err := source.WantSQL(q); err != nil {
		return err
	}
	var before token
	count, ended := 0, false
	for t := range tokens(q.SQL) {
		switch {
		case t.kind == runComment:
			return source.Structure(nil, "the query holds a comment that the server would run, %s…; write what it holds without the comment", t.text)
		case t.text == ";" && t.kind == symbol:
			ended = true
			continue
		case ended && count > 0:
			return source.SeveralStatements(nil)
		case count == 0 && (t.kind == quoted || !slices.Contains(reads, strings.ToLower(t.text))):
			return source.OnlyReads(nil)
		case t.ends("into"), before.ends("lock") && t.is("in"), before.ends("for") && (t.is("update") || t.is("share")):
			return source.OnlyReads(nil)
		}
		before = t
		count++
	}
	if count == 0 {
		return source.NoStatement()
	}
	return nil
}

func (t token) is(word string) bool { return t.kind == bare && strings.EqualFold(t.text, word) }

// ends reports whether t is a word, or a number that the server takes for the end of one: of 1.5INTO it reads 1.5 and INTO.
func (t token) ends(word string) bool {
	if t.kind != bare || len(t.text) < len(word) {
		return false
	}
	before, last := t.text[:len(t.text)-len(word)], t.text[len(t.text)-len(word):]
	return strings.EqualFold(last, word) && (before == "" || before[0] >= '0' && before[0] <= '9' || t.escaped)
}
