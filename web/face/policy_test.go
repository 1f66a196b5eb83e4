package face_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"mooring/web/face"
)

// What widens the policy of the task pane is admitted beside what was, and changes no other page's.
func TestPolicyIsWidened(t *testing.T) {
	files := fstest.MapFS{"addin/index.html": {Data: []byte("<p>")}, "console/index.html": {Data: []byte("<p>")}}
	tree, err := face.Read(files)
	if err != nil {
		t.Fatal(err)
	}
	s := face.New(tree, face.Config{Policy: map[string][]string{
		"script-src": {"https://cdn.example.com", "https://ajax.aspnetcdn.com"}, "font-src": {"data:"}, "frame-ancestors": {"https://f.example.com"},
	}})
	pane, _ := s.Page("addin", "")
	directives := strings.Split(pane.Policy, "; ")
	for _, want := range []string{
		"default-src 'none'",
		"script-src 'self' https://appsforoffice.microsoft.com https://ajax.aspnetcdn.com https://cdn.example.com",
		"font-src 'self' data:",
		"frame-ancestors 'self' " + strings.Join(face.DefaultFrameAncestors(), " ") + " https://f.example.com",
	} {
		found := false
		for _, d := range directives {
			found = found || d == want
		}
		if !found {
			t.Errorf("no %s in %s", want, pane.Policy)
		}
	}
	if !strings.Contains(pane.Policy, " https://*.cloud.microsoft ") {
		t.Errorf("the newer origins of Excel may not frame the pane: %s", pane.Policy)
	}
	if console, _ := s.Page("console", ""); strings.Contains(console.Policy, "example.com") {
		t.Errorf("the console: %s", console.Policy)
	}
}
