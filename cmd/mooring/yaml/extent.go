package yaml

import (
	"strings"
	"unicode/utf8"
)

// layout is the text of a file, in which places of nodes are found as byte offsets. A value that is not found where it should stand makes
// it unsure: nothing may be edited then.
type layout struct {
	text   string
	starts []int // the offset of each line
	unsure bool
}

func newLayout(text string) *layout {
	l := &layout{text: text}
	at := 0
	for line := range strings.Lines(text) {
		l.starts = append(l.starts, at)
		at += len(line)
	}
	return l
}

// offset returns where a place is in the text.
func (l *layout) offset(p Place) int {
	if p.Line < 1 || p.Line > len(l.starts) {
		l.unsure = true
		return 0
	}
	at := l.starts[p.Line-1]
	if p.Line == 1 {
		at += len(l.text) - len(strings.TrimPrefix(l.text, mark))
	}
	for range p.Column - 1 {
		_, size := utf8.DecodeRuneInString(l.text[at:])
		at += size
	}
	return at
}

// column returns how many characters stand before an offset in its line.
func (l *layout) column(at int) int {
	line := l.text[l.lineStart(at):at]
	return utf8.RuneCountInString(strings.TrimPrefix(line, mark))
}

func (l *layout) lineStart(at int) int { return 1 + strings.LastIndexByte(l.text[:at], '\n') }

// lineEnd returns the offset after the line break that follows an offset.
func (l *layout) lineEnd(at int) int {
	if i := strings.IndexByte(l.text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(l.text)
}

// indented reports whether only spaces stand before an offset in its line.
func (l *layout) indented(at int) bool {
	return strings.Trim(strings.TrimPrefix(l.text[l.lineStart(at):at], mark), " ") == ""
}

// begins reports whether one of some characters stands at a node's place.
func (l *layout) begins(n *Node, with string) bool {
	at := l.offset(n.Place)
	return at < len(l.text) && strings.IndexByte(with, l.text[at]) >= 0
}

// inBrackets reports whether a list or mapping is written in brackets.
func (l *layout) inBrackets(n *Node) bool {
	return (n.Kind == List || n.Kind == Mapping) && l.begins(n, "[{")
}

// block reports whether a text is written as a block below its header.
func (l *layout) block(n *Node) bool { return n.Kind == Text && n.origin == "" && l.begins(n, "|>") }

// colon returns the offset after the colon of a key.
func (l *layout) colon(p Pair) int {
	at := l.end(p.Key)
	for at < len(l.text) && (l.text[at] == ' ' || l.text[at] == '\t') {
		at++
	}
	if at == len(l.text) || l.text[at] != ':' {
		l.unsure = true
		return at
	}
	return at + 1
}

// dash returns the offset of the dash before an item of a list.
func (l *layout) dash(item *Node) int {
	at := len(strings.TrimRight(l.text[:l.offset(item.Place)], " \r\n")) - 1
	if at < 0 || l.text[at] != '-' || item.absent {
		l.unsure = true
		return 0
	}
	return at
}

// pairEnd returns the offset after the value of a key.
func (l *layout) pairEnd(p Pair) int {
	if p.Value.absent {
		return l.colon(p)
	}
	return l.end(p.Value)
}

// end returns the offset after a value.
func (l *layout) end(n *Node) int {
	at := l.offset(n.Place)
	switch {
	case n.absent || at >= len(l.text):
		l.unsure = true
		return at
	case l.inBrackets(n):
		return l.bracketEnd(at)
	case n.Kind == Mapping:
		return l.pairEnd(n.Pairs[len(n.Pairs)-1])
	case n.Kind == List:
		return l.end(n.Items[len(n.Items)-1])
	case l.block(n):
		return l.blockEnd(at)
	case l.text[at] == '"' || l.text[at] == '\'':
		return l.quoteEnd(at)
	}
	return l.plainEnd(at, n.origin)
}

// quoteEnd returns the offset after the quoted text at an offset.
func (l *layout) quoteEnd(at int) int {
	quote := l.text[at]
	for i := at + 1; i < len(l.text); i++ {
		switch {
		case quote == '"' && l.text[i] == '\\':
			i++
		case l.text[i] != quote:
		case quote == '\'' && strings.HasPrefix(l.text[i+1:], "'"):
			i++
		default:
			return i + 1
		}
	}
	l.unsure = true
	return at
}

// bracketEnd returns the offset after the bracket that closes the one at an offset.
func (l *layout) bracketEnd(at int) int {
	open := 0
	for i := at; i < len(l.text); i++ {
		switch before := l.text[max(0, i-1)]; l.text[i] {
		case '[', '{':
			open++
		case ']', '}':
			if open--; open == 0 {
				return i + 1
			}
		case '"', '\'':
			if strings.IndexByte("[{,: \n", before) >= 0 {
				i = max(i, l.quoteEnd(i)-1)
			}
		case '#':
			if before == ' ' || before == '\n' {
				i = l.lineEnd(i) - 1
			}
		}
	}
	l.unsure = true
	return at
}

// blockEnd returns the offset after the last line of the block whose header is at an offset, without its break.
func (l *layout) blockEnd(at int) int {
	header, _, _ := strings.Cut(l.text[at:], "\n")
	header, _, _ = strings.Cut(header, "#")
	end, indent := l.contentEnd(at), -1
	for next := l.lineEnd(at); next < len(l.text); next = l.lineEnd(next) {
		line := strings.TrimRight(l.text[next:l.lineEnd(next)], "\r\n")
		spaces := len(line) - len(strings.TrimLeft(line, " "))
		switch {
		case spaces == len(line):
			if strings.Contains(header, "+") {
				end = next + len(line)
			}
			continue
		case indent < 0:
			indent = spaces
		case spaces < indent:
			return end
		}
		end = next + len(line)
	}
	return end
}

// contentEnd returns the offset of the break that ends the line of an offset.
func (l *layout) contentEnd(at int) int {
	return at + len(strings.TrimRight(l.text[at:l.lineEnd(at)], "\r\n"))
}

// plainEnd returns the offset after the text without quotes at an offset, which the library read as that.
func (l *layout) plainEnd(at int, origin string) int {
	if strings.HasPrefix(l.text[at:], origin) && origin != "" {
		return at + len(origin)
	}
	read := ""
	for from := at; from < len(l.text); from = l.lineEnd(from) {
		to := l.contentEnd(from)
		read = strings.TrimLeft(read+" "+strings.TrimSpace(l.text[from:to]), " ")
		if read == origin {
			return from + len(strings.TrimRight(l.text[from:to], " \t"))
		}
	}
	l.unsure = true
	return at
}
