package storage

import (
	"strconv"
	"strings"
	"testing"

	"mooring/storage/record"
)

func TestRememberedDefinitionsAreBoundedInBytes(t *testing.T) {
	var c definitions
	text := `{"meta":{"text":"` + strings.Repeat("x", 1<<20) + `"}}`
	for i := range 100 {
		if _, err := c.read("report "+strconv.Itoa(i), text); err != nil {
			t.Fatal(err)
		}
	}
	if c.bytes > maxDefinitionBytes || c.bytes != len(c.decoded)*len(text) {
		t.Errorf("%d definitions of %d bytes are remembered, counted as %d", len(c.decoded), len(text), c.bytes)
	}
	c.keep("report 99", "{}", record.Definition{})
	if c.decoded["report 99"].text != "{}" {
		t.Error("a new definition was not remembered in the place of the old one")
	}
	if _, err := c.read("huge", `{"meta":"`+strings.Repeat("x", 15<<20)+`"}`); err != nil || c.decoded["huge"].text != "" {
		t.Errorf("a huge definition is remembered (%v)", err)
	}
}
