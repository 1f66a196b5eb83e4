package face_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"mooring/web/face"
)

// What is sent of a module does what was written, and has no comments.
func TestModulesAreSentShort(t *testing.T) {
	module := "/** @param {string} name */\nexport function greet(name) {\n  // A comment.\n  return `Hello // ${name}`;\n}\n"
	tree, err := face.Read(fstest.MapFS{
		"addin/index.html": {Data: []byte("<p>")}, "addin/greet.mjs": {Data: []byte(module)}, "addin/greet.css": {Data: []byte("p { color: red; }\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := face.New(tree, face.Config{})
	for name, want := range map[string]string{
		"addin/greet.mjs": "export function greet(e){return`Hello // ${e}`}",
		"addin/greet.css": "p{color:red}",
	} {
		if f, ok := s.File("addin", s.Hash, name); !ok || string(f.Text) != want {
			t.Errorf("%s, %t: %s", name, ok, f.Text)
		}
	}
	if _, err := face.Read(fstest.MapFS{"addin/broken.mjs": {Data: []byte("export function {")}}); err == nil ||
		!strings.Contains(err.Error(), "addin/broken.mjs") {
		t.Error(err)
	}
}
