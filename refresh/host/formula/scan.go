package formula

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// deleted is what stands for a reference whose cells are gone.
const deleted = "#REF!"

// scanner finds the operands of a formula that refer to something. It is our own, as rewriting needs where an operand stands and how it is
// spelled: xuri/efp returns what it means, without its quotes and its blanks, and takes all behind the # of A1#+B2 for an error value.
type scanner struct {
	text string
	at   int // the first byte not read
}

// next returns the next operand; false when there are no more.
func (s *scanner) next() (operand, bool) {
	for s.at < len(s.text) {
		switch b := s.text[s.at]; {
		case b == '"':
			s.at += max(1, strings.IndexByte(s.text[s.at+1:], '"')+2)
		case b == '\'', b == '[', b == '!', b == '#', inWord(b):
			if o, ok := s.operand(); ok {
				return o, true
			}
		default:
			s.at++
		}
	}
	return operand{}, false
}

// operand reads what begins with a word, a quote, a bracket or an error value; false when it refers to nothing.
func (s *scanner) operand() (o operand, ok bool) {
	o.from = s.at
	o.sheet, o.foreign = s.sheet()
	word := s.word()
	switch {
	case s.is('('): // of a function, or of a part in parentheses
	case s.is('['):
		o.name, o.table = word, s.brackets()
		ok = o.table != ""
	case word != "":
		if o.corners = s.corners(word, &o); o.corners == 0 {
			o.name = word
		}
		ok = o.corners > 0 || !isConstant(word)
	}
	if o.to = s.at; o.to == o.from {
		s.other()
	}
	return o, ok
}

// sheet reads the sheet before a reference, with its !, and returns it as it is spelled. When no sheet stands there, nothing is read.
// foreign says that it is no sheet of the workbook, or not always the same.
func (s *scanner) sheet() (name string, foreign bool) {
	from := s.at
	switch {
	case s.is('!'): // of a name: the sheet that uses it
		foreign = true
	case s.is('\''):
		if !s.quoted() {
			s.at = from
			return "", false
		}
		foreign = strings.IndexByte(s.text[from:s.at], '[') >= 0
	case strings.HasPrefix(s.text[from:], deleted):
		foreign = true
		s.at += len(deleted) - len("!")
	default:
		foreign = s.is('[') && s.brackets() != ""
		if first := s.word(); s.is(':') && !isCell(first) {
			s.at++
			s.word()
		}
	}
	if !s.is('!') {
		s.at = from
		return "", false
	}
	s.at++
	return s.text[from : s.at-1], foreign
}

// corners reads what follows the first corner of a range, if word is one. It returns how many there are: one is that of a cell, none
// says that the word is a name.
func (s *scanner) corners(word string, o *operand) int {
	end := s.at
	first, ok := parseCorner(word, end-len(word))
	if !ok {
		return 0
	}
	o.corner[0] = first
	if o.corner[1], ok = s.corner(o.sheet); ok && first.spans(o.corner[1]) {
		return 2
	}
	s.at = end
	if first.row < 0 || first.column < 0 {
		return 0
	}
	return 1
}

// corner reads a colon and the second corner of a range, which may name the sheet again.
func (s *scanner) corner(sheet string) (c corner, ok bool) {
	s.blanks()
	if !s.is(':') {
		return c, false
	}
	s.at++
	s.blanks()
	if again, _ := s.sheet(); again != "" && !strings.EqualFold(again, sheet) {
		return c, false
	}
	word := s.word()
	if s.is('(') || s.is('[') || s.is('!') {
		return c, false
	}
	return parseCorner(word, s.at-len(word))
}

// is reports whether b is the next byte.
func (s *scanner) is(b byte) bool { return s.at < len(s.text) && s.text[s.at] == b }

// word reads letters, digits and what else a name is made of.
func (s *scanner) word() string {
	from := s.at
	for s.at < len(s.text) && inWord(s.text[s.at]) {
		if s.text[s.at] < utf8.RuneSelf {
			s.at++
			continue
		}
		r, size := utf8.DecodeRuneInString(s.text[s.at:])
		if unicode.IsSpace(r) {
			break
		}
		s.at += size
	}
	return s.text[from:s.at]
}

// The ASCII characters of words, a bit each: those before @, and the others.
const (
	wordsLow  = 1<<'$' | 1<<'.' | 1<<'?' | (1<<10-1)<<'0'
	wordsHigh = 1<<('_'-64) | 1<<('\\'-64) | (1<<26-1)<<('A'-64) | (1<<26-1)<<('a'-64)
)

// inWord reports whether a byte is of a word, or of a character beyond ASCII.
func inWord(b byte) bool {
	return b >= utf8.RuneSelf || b >= 64 && uint64(wordsHigh)>>(b-64)&1 != 0 || b < 64 && uint64(wordsLow)>>b&1 != 0
}

// blanks reads white space.
func (s *scanner) blanks() {
	for s.is(' ') || s.is('\n') || s.is('\r') || s.is('\t') {
		s.at++
	}
}

// quoted reads a text in single quotes, in which two stand for one. When it does not close, the first quote alone is read.
func (s *scanner) quoted() bool {
	for i := s.at + 1; i < len(s.text); i++ {
		if s.text[i] != '\'' {
			continue
		}
		if i++; i == len(s.text) || s.text[i] != '\'' {
			s.at = i
			return true
		}
	}
	s.at++
	return false
}

// brackets reads a text in brackets, which nest; a ' makes the next character one of a heading. What does not close is read to the end of
// the formula, and empty.
func (s *scanner) brackets() string {
	open := 0
	for i := s.at; i < len(s.text); i++ {
		switch s.text[i] {
		case '\'':
			i++
		case '[':
			open++
		case ']':
			if open--; open == 0 {
				from := s.at
				s.at = i + 1
				return s.text[from:s.at]
			}
		}
	}
	s.at = len(s.text)
	return ""
}

// other reads what refers to nothing: an error value, the # of a spilled range, a quoted text, a character.
func (s *scanner) other() {
	rest := s.text[s.at:]
	switch {
	case s.is('\''):
		s.quoted()
	case !s.is('#'):
		_, size := utf8.DecodeRuneInString(rest)
		s.at += size
	case s.at > 0 && (inWord(s.text[s.at-1]) || strings.IndexByte(")]", s.text[s.at-1]) >= 0): // A1#
		s.at++
	case hasPrefixFold(rest, "#N/A"):
		s.at += len("#N/A")
	case hasPrefixFold(rest, "#DIV/0!"):
		s.at += len("#DIV/0!")
	default:
		s.at++
		s.word()
	}
}

// hasPrefixFold reports whether a text begins with a prefix, in whichever case.
func hasPrefixFold(text, prefix string) bool {
	return len(text) >= len(prefix) && strings.EqualFold(text[:len(prefix)], prefix)
}
