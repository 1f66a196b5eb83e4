package named

import "iter"

// Dialect is how a kind of database writes SQL.
type Dialect struct {
	rules
	place func(*binding, Name) error // writes what stands for a name
}

// The dialects. That of MySQL is the one of its modes without ANSI_QUOTES and NO_BACKSLASH_ESCAPES, that of PostgreSQL the one with
// standard_conforming_strings.
var (
	PostgreSQL = Dialect{rules{dollarQuotes: true, eTexts: true, nested: true, returnEnds: true, foreign: "$"}, numbered}
	SQLite     = Dialect{rules{brackets: true, backticks: true, foreign: "?:$#"}, variable}
	MySQL      = Dialect{rules{backticks: true, backslashes: true, hashes: true, executable: true, digitWords: true, foreign: "?"}, marked}

	// Literals is that of servers which cannot bind values. It refuses what they may read otherwise than PostgreSQL.
	Literals = Dialect{rules{dollarQuotes: true, eTexts: true, nested: true, strict: true, foreign: "$"}, literal}
)

// Tokens are the parts of a text that are neither blank nor a comment. What nothing closes ends with the text.
func (d Dialect) Tokens(text string) iter.Seq[Token] {
	return func(yield func(Token) bool) {
		l := d.lexer(text)
		for t, ok := l.next(); ok && yield(t); t, ok = l.next() {
		}
	}
}
