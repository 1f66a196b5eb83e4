package named

import "strings"

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
	digitWords   bool   // a word may begin with a digit or $
	returnEnds   bool   // a carriage return ends a comment
	strict       bool   // what servers read in different ways is refused
	foreign      string // what begins variables of the dialect's own, for which there is no value
}

// TokenKind is what a token is.
type TokenKind int

// The kinds.
const (
	Symbol    TokenKind = iota // a character that is none of these, or several @
	Word                       // a keyword, a name, or a number
	Quoted                     // a text, or a name in quotes
	Reference                  // @name
	Executed                   // the beginning of a comment that the database runs, up to its !
)

// Token is a part of a text that is neither blank nor a comment.
type Token struct {
	Kind       TokenKind
	Begin, End int // bytes of the text

	fault *lexFault // why a text must not have it in which names are looked for; nil: it may
}

// lexFault is why a text cannot be read.
type lexFault struct {
	at      int // a byte
	message string
}

// lexer reads the tokens of a text.
type lexer struct {
	rules
	text  string
	at    int
	mark  int       // where the line has a # or // that may begin a comment; -1: none. Of strict rules
	fault *lexFault // of the token that is read
}

func (r rules) lexer(text string) *lexer { return &lexer{rules: r, text: text, mark: -1} }

// next returns the next token; ok is false at the end of the text.
func (l *lexer) next() (t Token, ok bool) {
	for l.at < len(l.text) && l.skipped() {
	}
	if l.at >= len(l.text) {
		return t, false
	}
	t.Begin, l.fault = l.at, nil
	t.Kind = l.token()
	t.End, t.fault = l.at, l.fault
	return t, true
}

// fail notes a fault of the token.
func (l *lexer) fail(at int, message string) {
	if l.fault == nil {
		l.fault = &lexFault{at, message}
	}
}

// has reports whether the rest of the text begins with s.
func (l *lexer) has(s string) bool { return strings.HasPrefix(l.text[l.at:], s) }

// token moves behind the token that stands there.
func (l *lexer) token() TokenKind {
	begin := l.at
	switch c := l.text[begin]; {
	case l.runs():
		return l.executed()
	case l.dashes():
		l.fail(begin, "is a comment with a carriage return, at which some servers end it: remove that")
		l.at = len(l.text)
	case c == '@':
		return l.sign()
	case isWordStart(c), l.digitWords && (isDigit(c) || c == '$'):
		l.at += wordSize(l.text[begin:])
		if e := l.text[begin:l.at]; l.eTexts && (e == "e" || e == "E") && l.at < len(l.text) && l.text[l.at] == '\'' {
			l.eText()
			return Quoted
		}
		return Word
	case c == '\'', c == '"', c == '`' && l.backticks:
		l.quote(c, l.backslashes && c != '`')
		return Quoted
	case c == '[' && l.brackets:
		l.bracket()
		return Quoted
	case c == '$' && l.dollarQuotes && l.dollarQuote():
		return Quoted
	default:
		l.symbol(c)
	}
	return Symbol
}

// symbol moves behind a character that stands for itself.
func (l *lexer) symbol(c byte) {
	switch {
	case c == '`' && l.strict:
		l.fail(l.at, "is a quote in some servers and a character in others: leave it out")
	case l.isForeign():
		l.fail(l.at, "is a variable for which there is no value: write the name of a parameter behind @")
	case l.mark < 0 && (c == '#' || l.has("//")):
		l.mark = l.at
	}
	l.at++
}

// sign moves behind an @, or several: only a single one before a letter or _ begins a name.
func (l *lexer) sign() TokenKind {
	begin := l.at
	for l.at < len(l.text) && l.text[l.at] == '@' {
		l.at++
	}
	if l.at-begin > 1 || l.at >= len(l.text) || !isNameStart(l.text[l.at]) {
		return Symbol
	}
	l.at += wordSize(l.text[l.at:])
	if l.strict && l.mark >= 0 {
		l.fail(begin, "stands behind # or // in its line, where some servers begin a comment: write it into a line of its own")
	}
	return Reference
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
