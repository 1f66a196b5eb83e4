package yaml

import (
	"fmt"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// What a text may have.
const (
	maxKeys      = 5_000 // of one mapping, if no other has many
	maxDepth     = 100   // of brackets, and of what is indented by two
	maxBlank     = 100   // lines, one behind another
	maxDocuments = 100
)

// excess is why a text is not read from a place on.
type excess struct {
	line, column int
	message      string
}

func (e *excess) Error() string { return e.message }

// tokens returns the tokens of a text; the error is an *excess.
func tokens(text string) (token.Tokens, error) {
	if line := blank(text); line > 0 {
		return nil, &excess{line, 1, fmt.Sprintf("more than %d blank lines stand one behind another: leave some out", maxBlank)}
	}
	list := lexer.Tokenize(text)
	var c crowd
	for _, t := range list {
		if err := c.add(t); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// blank returns the first line behind more blank ones than there may be, 0 for none.
func blank(text string) int {
	line, run, before := 1, 0, byte(0)
	for i := range len(text) {
		switch text[i] {
		case '\r', '\n':
			if text[i] == '\r' || before != '\r' {
				line++
				run++
			}
		case ' ', '\t':
		default:
			run = 0
		}
		if before = text[i]; run > maxBlank+1 {
			return line
		}
	}
	return 0
}

// crowd counts the keys that stand side by side, and how deep values are nested.
type crowd struct {
	columns   []column // of the mappings around a token, outside of brackets, the outermost first
	brackets  []int    // that are open, each with the keys since its last comma
	line      int
	key       int // the column of the first token of the line behind dashes: where a key begins; 0 for none yet
	steps     int
	documents int
	second    *token.Token // begins the second document
}

// column is where the keys of a mapping stand.
type column struct{ at, keys int }

// add counts a token; the error says what is too much with it.
func (c *crowd) add(t *token.Token) error {
	if t.Position.Line != c.line {
		c.line, c.key = t.Position.Line, 0
	}
	c.count(t)
	deep := len(c.brackets) == 0 && len(c.columns) > 0 && c.columns[len(c.columns)-1].at > 2*maxDepth+1 ||
		t.Type == token.SequenceEntryType && t.Position.Column > 2*maxDepth+1
	switch {
	case c.documents > maxDocuments:
		return tooMuch(c.second, "a second YAML document: keep everything in one")
	case len(c.brackets) > maxDepth:
		return tooMuch(t, fmt.Sprintf("brackets stand more than %d deep: write it flatter", maxDepth))
	case deep:
		return tooMuch(t, fmt.Sprintf("is indented more than %d deep: write it flatter", maxDepth))
	case c.steps > maxKeys*(maxKeys+1)/2:
		return tooMuch(t, "more keys stand side by side than can be read in time, which are some 5,000 in one mapping, and fewer where others have "+
			"many too: write them in braces with commas between, make it a list of shorter mappings, or split it")
	}
	return nil
}

func tooMuch(t *token.Token, message string) error {
	return &excess{t.Position.Line, max(1, t.Position.Column), message}
}

func (c *crowd) count(t *token.Token) {
	switch t.Type {
	case token.MappingStartType, token.SequenceStartType:
		c.brackets = append(c.brackets, 0)
	case token.MappingEndType, token.SequenceEndType:
		c.brackets = c.brackets[:max(0, len(c.brackets)-1)]
	case token.CollectEntryType:
		if n := len(c.brackets); n > 0 {
			c.brackets[n-1] = 0
		}
	case token.DocumentHeaderType, token.DocumentEndType:
		if c.documents++; c.documents == 2 {
			c.second = t
		}
		c.columns = c.columns[:0]
	case token.SequenceEntryType:
		c.leave(t.Position.Column)
		return
	case token.MappingKeyType, token.MappingValueType:
		c.countKey(t)
	}
	if c.key == 0 {
		c.key = t.Position.Column
	}
}

// leave ends the mappings whose keys stand right of a column.
func (c *crowd) leave(at int) {
	for n := len(c.columns); n > 0 && c.columns[n-1].at > at; n-- {
		c.columns = c.columns[:n-1]
	}
}

// countKey counts a key, by the colon behind it or the question mark before it. In brackets those cost much that no comma parts.
func (c *crowd) countKey(t *token.Token) {
	if n := len(c.brackets); n > 0 {
		c.brackets[n-1]++
		c.steps += c.brackets[n-1]
		return
	}
	at := c.key
	if at == 0 {
		at = t.Position.Column
	}
	c.leave(at)
	if n := len(c.columns); n == 0 || c.columns[n-1].at < at {
		c.columns = append(c.columns, column{at: at})
	}
	last := &c.columns[len(c.columns)-1]
	last.keys++
	c.steps += last.keys
}
