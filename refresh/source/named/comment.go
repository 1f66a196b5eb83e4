package named

import "strings"

// skipped moves behind what is blank, or a comment, if it stands there. A comment that counts is none.
func (l *lexer) skipped() bool {
	switch c := l.text[l.at]; {
	case isBlank(c):
		if c == '\n' {
			l.mark = -1
		}
		l.at++
		return true
	case l.dashes(), l.hashes && c == '#':
		return l.lineComment()
	case l.has("/*") && !l.runs():
		l.comment()
		return true
	}
	return false
}

// dashes reports whether -- begins a comment: in MySQL where a blank follows.
func (l *lexer) dashes() bool {
	return l.has("--") && (!l.backslashes || l.at+2 >= len(l.text) || l.text[l.at+2] <= ' ')
}

// lineComment moves to the end of the line, unless servers differ in where that is and must not.
func (l *lexer) lineComment() bool {
	ends := "\n"
	if l.returnEnds {
		ends = "\r\n"
	}
	n := strings.IndexAny(l.text[l.at:], ends)
	if n < 0 {
		n = len(l.text) - l.at
	}
	if l.strict && strings.ContainsRune(strings.TrimSuffix(l.text[l.at:l.at+n], "\r"), '\r') {
		return false
	}
	l.at += n
	return true
}

// comment moves behind a comment, or to the end of a text that does not end it.
func (l *lexer) comment() {
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

// runs reports whether a comment begins that the database runs.
func (l *lexer) runs() bool { return l.executable && (l.has("/*!") || l.has("/*M!")) }

// executed moves behind the beginning of such a comment.
func (l *lexer) executed() TokenKind {
	l.fail(l.at, "is a comment that the database may run: write what it holds without the comment, or leave it out")
	l.at += strings.IndexByte(l.text[l.at:], '!') + 1
	return Executed
}
