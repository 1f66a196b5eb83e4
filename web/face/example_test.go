package face_test

import (
	"fmt"
	"testing/fstest"

	"mooring/web/face"
)

// A page leads to files below the hash of the tree.
func Example() {
	tree, err := face.Read(fstest.MapFS{
		"addin/index.html": {Data: []byte(`<base href="./"><script type="module" src="addin/pane.mjs"></script>`)},
		"addin/pane.mjs":   {Data: []byte(`import "../ui/dom.mjs";`)},
		"ui/dom.mjs":       {Data: []byte(`export {};`)},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	site := face.New(tree, face.Config{})
	page, _ := site.Page("addin", "")
	fmt.Printf("%s\n", page.Text)
	module, ok := site.File("addin", site.Hash, "ui/dom.mjs")
	fmt.Println(ok, module.Type, module.Immutable)
	// Output:
	// <base href="bcdb923c871a46b3/"><script type="module" src="addin/pane.mjs"></script>
	// true text/javascript; charset=utf-8 true
}
