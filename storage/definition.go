package storage

import (
	"encoding/json"
	"fmt"
	"sync"

	"mooring/storage/record"
)

// The bounds of what a Store remembers of decoded definitions: their number, and the bytes of their texts.
const (
	maxDefinitions     = 4096
	maxDefinitionBytes = 64 << 20
)

// definitions remembers how the definitions of reports were decoded. What it gives is right whatever else writes: the stored text comes with
// every read, and an entry counts only for exactly that text.
type definitions struct {
	mu      sync.RWMutex
	decoded map[string]decodedDefinition // by the report's key
	bytes   int
}

type decodedDefinition struct {
	text string
	record.Definition
}

// read decodes text, the definition of the report at key. What the result points to is shared: read only.
func (c *definitions) read(key, text string) (record.Definition, error) {
	c.mu.RLock()
	known, ok := c.decoded[key]
	c.mu.RUnlock()
	if ok && known.text == text {
		return known.Definition, nil
	}
	var d record.Definition
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		return d, fmt.Errorf("definition: %w", err)
	}
	c.keep(key, text, d)
	return d, nil
}

// Keep remembers that text is d, which must not change any more.
func (c *definitions) keep(key, text string, d record.Definition) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.decoded == nil {
		c.decoded = map[string]decodedDefinition{}
	}
	c.drop(key)
	if len(text) > maxDefinitionBytes/16 { // one would drive out many
		return
	}
	for old := range c.decoded {
		if len(c.decoded) < maxDefinitions && c.bytes+len(text) <= maxDefinitionBytes {
			break
		}
		c.drop(old)
	}
	c.decoded[key] = decodedDefinition{text, d}
	c.bytes += len(text)
}

func (c *definitions) drop(key string) {
	c.bytes -= len(c.decoded[key].text)
	delete(c.decoded, key)
}

// DefinitionJSON is the JSON of r's definition, an object, as it is stored; without meta if r has none, as in a list.
func (r *Report) DefinitionJSON() (string, error) {
	if r.DefinitionText != "" {
		return r.DefinitionText, nil
	}
	if r.Meta == nil { // of a list without it
		return record.Encode(struct {
			record.Definition
			Meta *struct{} `json:"meta,omitempty"`
		}{Definition: r.Definition})
	}
	return record.Encode(r.Definition)
}
