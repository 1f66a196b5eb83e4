package storage

import (
	"encoding/json"
	"fmt"
	"sync"
)

// maxDefinitions bounds how many decoded definitions a Store remembers.
const maxDefinitions = 4096

// definitions remembers how the definitions of reports were decoded. What it gives is right whoever else writes: the stored text comes with every
// read, and an entry counts only for exactly that text.
type definitions struct {
	mu      sync.RWMutex
	decoded map[string]decodedDefinition // by the report's key
}

type decodedDefinition struct {
	text string
	Definition
}

// read decodes text, the definition of the report at key. What the result points to is shared: read only.
func (c *definitions) read(key, text string) (Definition, error) {
	c.mu.RLock()
	known, ok := c.decoded[key]
	c.mu.RUnlock()
	if ok && known.text == text {
		return known.Definition, nil
	}
	var d Definition
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		return d, fmt.Errorf("definition: %w", err)
	}
	c.keep(key, text, d)
	return d, nil
}

// keep remembers that text is d, which nobody may change any more.
func (c *definitions) keep(key, text string, d Definition) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.decoded == nil {
		c.decoded = map[string]decodedDefinition{}
	}
	for old := range c.decoded {
		if len(c.decoded) < maxDefinitions {
			break
		}
		delete(c.decoded, old)
	}
	c.decoded[key] = decodedDefinition{text, d}
}

// DefinitionJSON is the JSON of r's definition, an object, as it is stored.
func (r *Report) DefinitionJSON() (string, error) {
	if r.DefinitionText != "" {
		return r.DefinitionText, nil
	}
	return encode(r.Definition)
}
