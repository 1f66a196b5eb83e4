//go:build unix

package zoo

import (
	"crypto/sha256"
	"encoding/hex"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// root is the module's directory, seen from this package's.
const root = "../../.."

// slip is a change of one line that breaks the product.
type slip struct {
	Name   string // of small letters and hyphens
	What   string // what it does to a user, in one sentence
	File   string // from the module's directory
	Before string // a part of a line that occurs once in the file
	After  string // what stands there instead, on one line
	Within string // the package whose tests notice it, from the module's directory
	Tests  string // their names, with | between them
}

// slips returns those of all rooms of the house.
func slips() []slip {
	return slices.Concat(
		recordSlips(), storageSlips(), portableSlips(), queueSlips(), tickSlips(),
		refreshSlips(), writeSlips(), parameterSlips(), hostSlips(), sourceSlips(), gridSlips(), webSlips(), codeSlips(),
	)
}

func (s slip) pattern() string { return "^(" + s.Tests + ")$" }

// changed returns the file with the slip in it.
func (s slip) changed() ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(root, s.File))
	return []byte(strings.Replace(string(text), s.Before, s.After, 1)), err
}

// digest changes with the slip, its file, and the files of the package that notices it.
func (s slip) digest() (string, error) {
	h := sha256.New()
	for _, field := range []string{s.Name, s.File, s.Before, s.After, s.Within, s.Tests} {
		_, _ = io.WriteString(h, field+"\x00")
	}
	entries, err := os.ReadDir(filepath.Join(root, s.Within))
	if err != nil {
		return "", err
	}
	files := []string{s.File}
	for _, e := range entries {
		if e.Type().IsRegular() {
			files = append(files, path.Join(s.Within, e.Name()))
		}
	}
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return "", err
		}
		sum := sha256.Sum256(text)
		_, _ = h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), nil
}

func TestEverySlipFitsTheCode(t *testing.T) {
	names, tests := map[string]bool{}, map[string][]string{}
	for _, s := range slips() {
		if names[s.Name] || !regexp.MustCompile(`^[a-z0-9-]+$`).MatchString(s.Name) {
			t.Errorf("%s is no name, or that of two slips", s.Name)
		}
		names[s.Name] = true
		if !strings.HasSuffix(s.What, ".") || strings.ContainsAny(s.What, "|\n") {
			t.Errorf("%s does not say in a sentence what it does: %q", s.Name, s.What)
		}
		text, err := os.ReadFile(filepath.Join(root, s.File))
		if n := strings.Count(string(text), s.Before); err != nil || n != 1 {
			t.Errorf("%s: %q occurs %d times in %s, %v", s.Name, s.Before, n, s.File, err)
		}
		if s.Before == s.After || strings.Contains(s.Before+s.After, "\n") {
			t.Errorf("%s is not a change of one line", s.Name)
		}
		if tests[s.Within] == nil {
			tests[s.Within] = testsOf(t, s.Within)
		}
		for name := range strings.SplitSeq(s.Tests, "|") {
			if !slices.Contains(tests[s.Within], name) {
				t.Errorf("%s: %s has no %s", s.Name, s.Within, name)
			}
		}
	}
}

// testsOf returns the names of the functions in the tests of a package.
func testsOf(t *testing.T, within string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, within, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				names = append(names, f.Name.Name)
			}
		}
	}
	return names
}

func TestTheFiguresNameEverySlip(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "scripts/README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range slips() {
		if !strings.Contains(string(text), "| "+s.Name+" | ") {
			t.Errorf("%s is not in the table of scripts/README.md: scripts/zoo --table prints it", s.Name)
		}
	}
}
