package face

import (
	"fmt"
	"path"

	"github.com/tdewolff/minify/v2"
	"github.com/tdewolff/minify/v2/css"
	"github.com/tdewolff/minify/v2/js"
)

// minifier makes modules and style sheets shorter as they are sent: half of them is comments and types, which a sidebar would load each
// time.
type minifier struct{ m *minify.M }

func newMinifier() minifier {
	m := minify.New()
	m.AddFunc(".mjs", js.Minify)
	m.AddFunc(".css", css.Minify)
	return minifier{m}
}

// bytes returns the text to send of a file.
func (m minifier) bytes(name string, text []byte) ([]byte, error) {
	kind := path.Ext(name)
	if kind != ".mjs" && kind != ".css" {
		return text, nil
	}
	short, err := m.m.Bytes(kind, text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return short, nil
}
