package face

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// Config says to whom the faces are sent.
type Config struct {
	FrameAncestors []string // whose pages may frame the task pane, in place of DefaultFrameAncestors; nil: those
	Demo           bool     // there is a demo

	Policy map[string][]string // what the task pane's Content-Security-Policy admits besides: directive -> sources
}

// File is a file as it is sent.
type File struct {
	Text      []byte
	Type      string // its Content-Type
	Policy    string // its Content-Security-Policy
	Immutable bool   // its address never holds another text

	packed *packed
}

// Tree is the files of the faces as they are sent, made as short as can be. It is safe for concurrent use.
type Tree struct {
	// Hash is of all files. It changes whenever any does.
	Hash  string
	files map[string]*packed
}

// Site is the faces, ready to be sent. It is safe for concurrent use.
type Site struct {
	*Tree
	policies map[string]string // of each face
}

const plainText = "text/plain; charset=utf-8"

// types are the Content-Types of what is sent, by the ends of names; a file of another kind is not part of the tree.
var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".mjs":  "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".svg":  "image/svg+xml",
	".png":  "image/png",
	".json": "application/json",
	".js":   plainText,
}

// Read reads a tree: a folder for each face, and those that they share. What it returns may be the tree of any number of sites.
func Read(files fs.FS) (*Tree, error) {
	t := &Tree{files: map[string]*packed{}}
	hash, short := sha256.New(), newMinifier()
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !sent(name) {
			return err
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		if text, err = short.bytes(name, text); err != nil {
			return err
		}
		t.files[name] = &packed{text: text}
		fmt.Fprintf(hash, "%q %d\n", name, len(text))
		hash.Write(text)
		return nil
	})
	if err != nil {
		return nil, err
	}
	t.Hash = hex.EncodeToString(hash.Sum(nil)[:8])
	for _, f := range t.files {
		f.text = bytes.Replace(f.text, []byte(baseMarker), []byte(`<base href="`+t.Hash+`/">`), 1)
	}
	return t, nil
}

// New makes the site of a tree.
func New(t *Tree, c Config) *Site {
	return &Site{Tree: t, policies: policies(c)}
}

// sent reports whether a file is of the faces, and not of their tests.
func sent(name string) bool {
	return types[path.Ext(name)] != "" && path.Base(name) != "tsconfig.json" && !strings.HasSuffix(name, ".test.mjs") && !strings.Contains(name, "/testing/")
}

// baseMarker stands in a face's index.html where its base address goes.
const baseMarker = `<base href="./">`

// Page returns a page of a face, the first of them without a name; false if there is none. It is reached at the face's name, a slash and its
// own, to which its base address is relative: a proxy may serve all of it below a prefix.
func (s *Site) Page(face, name string) (File, bool) {
	f, ok := s.file(face, face+"/"+cmp.Or(name, "index")+".html")
	return f, ok && name != "index"
}

// Icon returns an icon of a face: icons have stable addresses too, since the add-in's manifest names them.
func (s *Site) Icon(face, name string) (File, bool) {
	if !strings.HasPrefix(name, "icon-") {
		return File{}, false
	}
	return s.file(face, face+"/"+name)
}

// scripts is the folder of what people copy into a spreadsheet.
const scripts = "apps-script"

// File returns what a face finds below a hash, false for another tree's or if there is no such file. What people copy has a stable
// address too, and is text to read there.
func (s *Site) File(face, hash, name string) (File, bool) {
	if hash == scripts {
		f, ok := s.file(face, path.Join(face, scripts, path.Base(name)))
		f.Type = plainText
		return f, ok
	}
	if hash != s.Hash {
		return File{}, false
	}
	f, ok := s.file(face, name)
	f.Immutable = true
	return f, ok
}

func (s *Site) file(face, name string) (File, bool) {
	policy, known := s.policies[face]
	f, ok := s.files[name]
	if !known || !ok {
		return File{}, false
	}
	return File{Text: f.text, Type: types[path.Ext(name)], Policy: policy, packed: f}, true
}
