package storage

import (
	"encoding/json"
	"fmt"
	"sync"
)

// maxDefinitions bounds the cache of decoded definitions.
const maxDefinitions = 4096

// definitions remembers how the definitions of reports were decoded. What it gives is right whoever else writes: the stored text comes with every
// read, and an entry counts only for exactly that text.
type definitions struct {
	mu      sync.RWMutex
	decoded map[string]decodedDefinition // by the report's key
}

type decodedDefinition struct {
	text string
	*Definition
}

// read decodes text, the definition of the report at key. The result is shared: read only.
func (c *definitions) read(key, text string) (*Definition, error) {
	c.mu.RLock()
	known, ok := c.decoded[key]
	c.mu.RUnlock()
	if ok && known.text == text {
		return known.Definition, nil
	}
	d := new(Definition)
	if err := json.Unmarshal([]byte(text), d); err != nil {
		return nil, fmt.Errorf("definition at %s: %w", key, err)
	}
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
	return d, nil
}
