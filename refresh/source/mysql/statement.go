package mysql

import (
	"slices"
	"strings"

	"mooring/refresh/source"
	"mooring/refresh/source/named"
)

// reads are the words that a query may begin with.
var reads = []string{"select", "with", "values", "table", "("}

// wantRead refuses what is no query, several statements, and what a read-only transaction does not: to write files, to set variables by INTO,
// to lock rows that others may only read, and comments of which the server runs what they hold.
func wantRead(q source.Query) error {
	if err := source.WantSQL(q); err != nil {
		return err
	}
	var before word
	count, ended := 0, false
	for t := range named.MySQL.Tokens(q.SQL) {
		text, now := q.SQL[t.Begin:t.End], wordOf(q.SQL, t)
		switch {
		case t.Kind == named.Executed:
			return source.Structure(nil, "the query holds a comment that the server would run, %s…; write what it holds without the comment", text)
		case text == ";":
			ended = true
			continue
		case ended && count > 0:
			return source.SeveralStatements(nil)
		case count == 0 && !slices.Contains(reads, strings.ToLower(text)):
			return source.OnlyReads(nil)
		case now.ends("into"), before.ends("lock") && now.is("in"), before.ends("for") && (now.is("update") || now.is("share")):
			return source.OnlyReads(nil)
		}
		before = now
		count++
	}
	if count == 0 {
		return source.NoStatement()
	}
	return nil
}

// word is a word of a statement; empty for what is none.
type word struct {
	text    string
	escaped bool // a backslash stands before it
}

// wordOf is the word that a token is.
func wordOf(sql string, t named.Token) word {
	if t.Kind != named.Word {
		return word{}
	}
	return word{sql[t.Begin:t.End], t.Begin > 0 && sql[t.Begin-1] == '\\'}
}

func (w word) is(text string) bool { return strings.EqualFold(w.text, text) }

// ends reports whether w is a word, or ends in one behind a number that the server takes for the end of it: of 1.5INTO it reads 1.5 and INTO.
func (w word) ends(text string) bool {
	if len(w.text) < len(text) {
		return false
	}
	before, last := w.text[:len(w.text)-len(text)], w.text[len(w.text)-len(text):]
	return strings.EqualFold(last, text) && (before == "" || before[0] >= '0' && before[0] <= '9' || w.escaped)
}
