package mysql

import (
	"iter"
	"strings"
)

// token is a part of a statement that is neither white space nor a comment.
type token struct {
	kind    tokenKind
	text    string // of a quoted name without its quotes
	at      int    // its first byte in the statement
	escaped bool   // a backslash stands before it
}

type tokenKind int

const (
	symbol     tokenKind = iota // one character
	bare                        // a word or a number
	quoted                      // a text, or a name in quotes
	runComment                  // the beginning of a comment that the server runs
)

// tokens reads a statement as servers do whose sql_mode is empty.
func tokens(sql string) iter.Seq[token] {
	return func(yield func(token) bool) {
		for at := 0; at < len(sql); {
			t, end := tokenAt(sql, at)
			if end > at && !yield(t) {
				return
			}
			if end == at {
				end = skip(sql, at)
			}
			at = end
		}
	}
}

// tokenAt returns the token that begins at a byte, and where it ends; there, for white space and comments.
func tokenAt(sql string, at int) (token, int) {
	t, rest := token{at: at, escaped: at > 0 && sql[at-1] == '\\'}, sql[at:]
	end := at
	switch c := sql[at]; {
	case strings.HasPrefix(rest, "/*!"), strings.HasPrefix(rest, "/*M!"):
		t.kind, end = runComment, at+strings.IndexByte(rest, '!')+1
	case skip(sql, at) > at:
		return t, at
	case c == '\'' || c == '"' || c == '`':
		end = endOfQuotes(sql, at)
		t.kind, t.text = quoted, strings.TrimSuffix(sql[at+1:end], string(c))
		return t, end
	case inWord(c):
		t.kind = bare
		for end = at; end < len(sql) && inWord(sql[end]); end++ {
		}
	default:
		end = at + 1
	}
	t.text = sql[at:end]
	return t, end
}

func inWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c >= 0x80
}

// endOfQuotes is behind the quote that ends a text or a name; in texts a backslash takes the next character along.
func endOfQuotes(sql string, at int) int {
	quote := sql[at]
	for i := at + 1; i < len(sql); i++ {
		switch {
		case sql[i] == '\\' && quote != '`':
			i++
		case sql[i] == quote && i+1 < len(sql) && sql[i+1] == quote:
			i++
		case sql[i] == quote:
			return i + 1
		}
	}
	return len(sql)
}

// skip is behind the white space or the comment at a byte; there, if neither is.
func skip(sql string, at int) int {
	rest := sql[at:]
	until := func(mark string) int {
		if end := strings.Index(rest, mark); end >= 0 {
			return at + end + len(mark)
		}
		return len(sql)
	}
	switch {
	case isSpace(rest[0]):
		return at + 1
	case rest[0] == '#', strings.HasPrefix(rest, "--") && (len(rest) == 2 || rest[2] <= ' '):
		return until("\n")
	case strings.HasPrefix(rest, "/*"):
		rest, at = rest[2:], at+2
		return until("*/")
	}
	return at
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
