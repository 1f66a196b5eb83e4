package house

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// packageFiles are the parsed Go files of each package of the house, by its directory: those of the program, and the tests.
func packageFiles(t *testing.T) (code, tests map[string][]*ast.File) {
	t.Helper()
	code, tests = map[string][]*ast.File{}, map[string][]*ast.File{}
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (name == "scripts" || strings.HasPrefix(entry.Name(), ".") && name != "." || entry.Name() == "testdata"):
			return fs.SkipDir
		case entry.IsDir() || path.Ext(name) != ".go":
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, name), nil, parser.ParseComments)
		into := code
		if strings.HasSuffix(name, "_test.go") {
			into = tests
		}
		into[path.Dir(name)] = append(into[path.Dir(name)], file)
		return err
	})
	if err != nil || len(code) == 0 {
		t.Fatalf("%d packages, %v", len(code), err)
	}
	return code, tests
}

// Every package says in a doc.go what it is for, and shows in an example that runs how it is used; suites are used by tests only, the
// command and its rooms by people, and a package of tests alone is not used.
func TestEveryPackageIsExplained(t *testing.T) {
	code, tests := packageFiles(t)
	for dir, files := range code {
		if _, err := os.Stat(filepath.Join(root, dir, "doc.go")); err != nil {
			t.Errorf("%s has no doc.go", dir)
		}
		_, suite := suites[room(dir)]
		onlyTests := !slices.ContainsFunc(files, func(f *ast.File) bool { return len(f.Decls) > 0 })
		command := slices.Contains([]string{"cmd/mooring", "cmd/mooring/process", "cmd/mooring/code", "cmd/mooring/demo"}, dir)
		if suite || onlyTests || command || strings.HasSuffix(dir, "fake") {
			continue
		}
		ran := false
		for _, e := range doc.Examples(tests[dir]...) {
			ran = ran || e.Output != ""
		}
		if !ran {
			t.Errorf("%s has no example with an output", dir)
		}
	}
}

// A reader writes the package's name before the identifier's: that need not say it again.
func TestNoNameBeginsWithItsPackages(t *testing.T) {
	code, _ := packageFiles(t)
	for dir, files := range code {
		name := path.Base(dir)
		for _, file := range files {
			if ast.IsGenerated(file) {
				continue // its generator chose the names
			}
			for _, d := range file.Decls {
				for _, id := range declared(d) {
					if repeats(id, name) {
						t.Errorf("%s: %s begins with the package's name", dir, id)
					}
				}
			}
		}
	}
}

func TestNamesThatRepeatAPackages(t *testing.T) {
	for id, want := range map[string]bool{
		"Host": false, "HostKind": true, "hostKind": true, "hosts": false, "hostname": false, "kindOfHost": false, "Host2": true,
	} {
		if repeats(id, "host") != want {
			t.Errorf("%s in package host: want %t", id, want)
		}
	}
}

// repeats reports whether an identifier is the package's name and another word.
func repeats(id, name string) bool {
	if len(id) <= len(name) || !strings.EqualFold(id[:len(name)], name) {
		return false
	}
	next, _ := utf8.DecodeRuneInString(id[len(name):])
	return unicode.IsUpper(next) || unicode.IsDigit(next)
}

// declared are the names that a declaration adds to its package.
func declared(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			names = append(names, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, spec.Name.Name)
			case *ast.ValueSpec:
				for _, id := range spec.Names {
					names = append(names, id.Name)
				}
			}
		}
	}
	return names
}
