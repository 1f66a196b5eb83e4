package named

import "strings"

// quote moves behind a text or name in quotes; a doubled quote is one of its characters.
func (l *lexer) quote(mark byte, backslashes bool) {
	begin := l.at
	for l.at++; l.at < len(l.text); l.at++ {
		switch c := l.text[l.at]; {
		case c == '\\' && l.strict:
			l.fail(begin, "holds a backslash, which servers read in different ways: leave it out")
			l.at = len(l.text)
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
	l.unclosed(begin)
}

// unclosed moves to the end of a text in which nothing closes a quote.
func (l *lexer) unclosed(begin int) {
	l.fail(begin, "opens a quote that nothing closes: close it")
	l.at = len(l.text)
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
		if l.fault != nil || !broken || rest >= len(l.text) || l.text[rest] != '\'' {
			return
		}
		l.at = rest
	}
}

func (l *lexer) bracket() {
	n := strings.IndexByte(l.text[l.at:], ']')
	if n < 0 {
		l.unclosed(l.at)
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
		l.unclosed(l.at)
		return true
	}
	l.at += n + 2*len(delimiter)
	return true
}
