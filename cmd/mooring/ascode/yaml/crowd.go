package yaml

import "github.com/goccy/go-yaml/token"

// The library takes time that grows with the square of how many keys stand side by side, and of how many documents a text has.
const (
	maxKeys      = 5_000 // of one mapping, if no other has many
	maxDocuments = 100
)

// CrowdedError is a text that the library would take too long to read, from a token on.
type CrowdedError struct{ At *token.Token }

func (*CrowdedError) Error() string {
	return "more keys stand side by side than can be read in time, which are some 5,000 in one mapping, and fewer where others have many too: " +
		"make it a list of shorter mappings, or split it"
}

// Crowded returns a [*CrowdedError], nil for a text that can be read in time.
func Crowded(tokens token.Tokens) error {
	var c crowd
	for _, t := range tokens {
		if c.add(t); c.steps > maxKeys*(maxKeys+1)/2 || c.documents > maxDocuments {
			return &CrowdedError{t}
		}
	}
	return nil
}

// crowd counts the keys that stand side by side, outside of brackets.
type crowd struct {
	columns   []column // of the mappings around a token, the outermost first
	brackets  int      // that are open
	line      int
	key       int // the column of the first token of the line behind dashes: where a key begins; 0 for none yet
	steps     int
	documents int
}

// column is where the keys of a mapping stand.
type column struct{ at, keys int }

func (c *crowd) add(t *token.Token) {
	if t.Position.Line != c.line {
		c.line, c.key = t.Position.Line, 0
	}
	switch t.Type {
	case token.MappingStartType, token.SequenceStartType:
		c.brackets++
	case token.MappingEndType, token.SequenceEndType:
		c.brackets = max(0, c.brackets-1)
	case token.DocumentHeaderType, token.DocumentEndType:
		c.documents++
		c.columns = c.columns[:0]
	case token.SequenceEntryType:
		c.leave(t.Position.Column)
		return
	case token.MappingKeyType, token.MappingValueType:
		if c.brackets == 0 {
			c.count(t)
		}
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

// count counts a key, by the colon behind it or the question mark before it.
func (c *crowd) count(t *token.Token) {
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
