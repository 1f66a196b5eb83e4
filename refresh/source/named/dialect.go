package named

import (
	"strings"
)

// Dialect is how a kind of database writes SQL.
type Dialect struct{ rules }

// The dialects. That of MySQL is the one of its modes without ANSI_QUOTES and NO_BACKSLASH_ESCAPES, that of PostgreSQL the one with
// standard_conforming_strings.
var (
	PostgreSQL = Dialect{rules{dollarQuotes: true, eTexts: true, nested: true, returnEnds: true, foreign: "$", place: numbered}}
	SQLite     = Dialect{rules{brackets: true, backticks: true, foreign: "?:$#", place: variable}}
	MySQL      = Dialect{rules{backticks: true, backslashes: true, hashes: true, executable: true, foreign: "?", place: marked}}

	// Literals is that of servers which cannot bind values. It refuses what they may read otherwise than PostgreSQL.
	Literals = Dialect{rules{dollarQuotes: true, eTexts: true, nested: true, strict: true, foreign: "$", place: literal}}
)

// rules are what dialects differ in.
type rules struct {
	dollarQuotes bool   // $tag$ … $tag$
	eTexts       bool   // E'…', with backslashes
	backslashes  bool   // in every text, and in double quotes, which are texts
	brackets     bool   // [a name]
	backticks    bool   // `a name`
	nested       bool   // comments within comments
	hashes       bool   // # begins a comment
	executable   bool   // a comment that begins with ! or M! is run
	returnEnds   bool   // a carriage return ends a comment
	strict       bool   // what servers read in different ways is refused
	foreign      string // what begins variables of the dialect's own, for which there is no value
	place        func(*binding, Name) error
}

// kind is what a token is.
type kind int

const (
	other  kind = iota // a character that is none of these
	word               // a keyword or a name
	quoted             // a text, or a quoted name
	named              // @name
)

// token is a part of a text that is neither blank nor a comment.
type token struct {
	kind       kind
	begin, end int
}

// lexer reads the tokens of a text.
type lexer struct {
	rules
	text string
	at   int
	mark int // where the line has a # or // that may begin a comment; -1: none. Of strict rules
	err  *lexFault
}

// lexFault is why a text cannot be read.
type lexFault struct {
	at      int // a byte
	message string
}

func (d Dialect) lexer(text string) *lexer { return &lexer{rules: d.rules, text: text, mark: -1} }

// fail ends the text at a fault.
func (l *lexer) fail(at int, message string) {
	if l.err == nil {
		l.err = &lexFault{at, message}
	}
	l.at = len(l.text)
}

// next returns the next token; ok is false at the end of the text, or at a fault.
func (l *lexer) next() (t token, ok bool) {
	for l.at < len(l.text) && l.skipped() {
	}
	if l.at >= len(l.text) {
		return t, false
	}
	t = token{begin: l.at}
	t.kind = l.token()
	t.end = l.at
	return t, l.err == nil
}

// has reports whether the rest of the text begins with s.
func (l *lexer) has(s string) bool { return strings.HasPrefix(l.text[l.at:], s) }

// skipped moves behind what is blank, or a comment, if it stands there.
func (l *lexer) skipped() bool {
	switch c := l.text[l.at]; {
	case isBlank(c):
		if c == '\n' {
			l.mark = -1
		}
		l.at++
	case l.has("--") && l.dashes(), l.hashes && c == '#':
		l.lineComment()
	case l.has("/*"):
		l.comment()
	default:
		return false
	}
	return true
}

// dashes reports whether -- begins a comment: in MySQL where a blank follows.
func (l *lexer) dashes() bool {
	return !l.backslashes || l.at+2 >= len(l.text) || l.text[l.at+2] <= ' '
}

func (l *lexer) lineComment() {
	begin := l.at
	ends := "\n"
	if l.returnEnds {
		ends = "\r\n"
	}
	n := strings.IndexAny(l.text[l.at:], ends)
	if n < 0 {
		n = len(l.text) - l.at
	}
	if l.strict && strings.ContainsRune(strings.TrimSuffix(l.text[l.at:l.at+n], "\r"), '\r') {
		l.fail(begin, "is a comment with a carriage return, at which some servers end it: remove that")
		return
	}
	l.at += n
}

// comment moves behind a comment, or to the end of a text that does not end it.
func (l *lexer) comment() {
	begin := l.at
	if l.executable && (l.has("/*!") || l.has("/*M!")) {
		l.fail(begin, "is a comment that the database may run: write what it holds without the comment, or leave it out")
		return
	}
	depth := 0
	for ; l.at < len(l.text); l.at++ {
		switch {
		case l.has("/*") && (depth == 0 || l.nested):
			depth++
			l.at++
		case l.has("*/"):
			depth--
			if l.at++; depth == 0 {
				l.at++
				return
			}
		}
	}
}

// token moves behind the token that stands there.
func (l *lexer) token() kind {
	begin := l.at
	switch c := l.text[begin]; {
	case c == '@':
		return l.sign()
	case isWordStart(c):
		l.at += wordSize(l.text[begin:])
		if e := l.text[begin:l.at]; l.eTexts && (e == "e" || e == "E") && l.at < len(l.text) && l.text[l.at] == '\'' {
			l.eText()
			return quoted
		}
		return word
	case c == '\'', c == '"', c == '`' && l.backticks:
		l.quote(c, l.backslashes && c != '`')
		return quoted
	case c == '`' && l.strict:
		l.fail(begin, "is a quote in some servers and a character in others: leave it out")
	case c == '[' && l.brackets:
		l.bracket()
		return quoted
	case c == '$' && l.dollarQuotes && l.dollarQuote():
		return quoted
	case l.isForeign():
		l.fail(begin, "is a variable for which there is no value: write the name of a parameter behind @")
	default:
		if l.mark < 0 && (c == '#' || l.has("//")) {
			l.mark = begin
		}
		l.at++
	}
	return other
}

// sign moves behind an @, or several: only a single one before a letter or _ begins a name.
func (l *lexer) sign() kind {
	begin := l.at
	for l.at < len(l.text) && l.text[l.at] == '@' {
		l.at++
	}
	if l.at-begin > 1 || l.at >= len(l.text) || !isNameStart(l.text[l.at]) {
		return other
	}
	l.at += wordSize(l.text[l.at:])
	if l.strict && l.mark >= 0 {
		l.fail(begin, "stands behind # or // in its line, where some servers begin a comment: write it into a line of its own")
	}
	return named
}

// isForeign reports whether a variable of the dialect's own begins there.
func (l *lexer) isForeign() bool {
	c := l.text[l.at]
	if strings.IndexByte(l.foreign, c) < 0 {
		return false
	}
	if c == '?' {
		return true
	}
	if l.at+1 >= len(l.text) {
		return false
	}
	follows := l.text[l.at+1]
	if l.dollarQuotes {
		return isDigit(follows)
	}
	return isWordStart(follows) || isDigit(follows) || follows == '$'
}

// quote moves behind a text or name in quotes; a doubled quote is one of its characters.
func (l *lexer) quote(mark byte, backslashes bool) {
	begin := l.at
	for l.at++; l.at < len(l.text); l.at++ {
		switch c := l.text[l.at]; {
		case c == '\\' && l.strict:
			l.fail(begin, "holds a backslash, which servers read in different ways: leave it out")
			return
		case c == '\\' && backslashes:
			l.at++
		case c == mark && l.at+1 < len(l.text) && l.text[l.at+1] == mark:
			l.at++
		case c == mark:
			l.at++
			return
		}
	}
	l.fail(begin, "opens a quote that nothing closes: close it")
}

// eText moves behind E'…' and what continues it: further texts, each in a line of its own.
func (l *lexer) eText() {
	for {
		l.quote('\'', true)
		rest, broken := l.at, false
		for rest < len(l.text) {
			switch c := l.text[rest]; {
			case isBlank(c):
				broken = broken || c == '\n' || c == '\r'
				rest++
				continue
			case strings.HasPrefix(l.text[rest:], "--"):
				n := strings.IndexAny(l.text[rest:], "\r\n")
				if n < 0 {
					return
				}
				rest += n
				continue
			}
			break
		}
		if l.err != nil || !broken || rest >= len(l.text) || l.text[rest] != '\'' {
			return
		}
		l.at = rest
	}
}

func (l *lexer) bracket() {
	n := strings.IndexByte(l.text[l.at:], ']')
	if n < 0 {
		l.fail(l.at, "opens a quote that nothing closes: close it")
		return
	}
	l.at += n + 1
}

// dollarQuote moves behind $tag$ … $tag$, if such a text begins there.
func (l *lexer) dollarQuote() bool {
	size := strings.IndexByte(l.text[l.at+1:], '$')
	if size < 0 {
		return false
	}
	tag := l.text[l.at+1 : l.at+1+size]
	for i := range len(tag) {
		if !isWordStart(tag[i]) && (i == 0 || !isDigit(tag[i])) {
			return false
		}
	}
	delimiter := l.text[l.at : l.at+size+2]
	n := strings.Index(l.text[l.at+len(delimiter):], delimiter)
	if n < 0 {
		l.fail(l.at, "opens a quote that nothing closes: close it")
		return true
	}
	l.at += n + 2*len(delimiter)
	return true
}

func isBlank(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isNameStart reports whether a character begins the name of a parameter.
func isNameStart(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }

// isWordStart reports whether a character begins a word.
func isWordStart(c byte) bool { return isNameStart(c) || c >= 0x80 }

// wordSize is the length of the word that s begins with.
func wordSize(s string) int {
	n := 0
	for n < len(s) && (isWordStart(s[n]) || isDigit(s[n]) || s[n] == '$') {
		n++
	}
	return n
}
