package web

import (
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/web/request"
)

// Every code has a status and is in the OpenAPI document, and no other is.
func TestEveryCodeHasAStatusAndIsDescribed(t *testing.T) {
	doc, err := contract()
	if err != nil {
		t.Fatal(err)
	}
	var described []string
	for _, code := range doc.Components.Schemas["Code"].Value.Enum {
		described = append(described, code.(string))
	}
	codes := codesIn(t, "../placements", "Code")
	for _, code := range codes {
		if unexpected := placements.Code(code) != placements.CodeInternal && request.Status(placements.Code(code)) == http.StatusInternalServerError; unexpected {
			t.Errorf("%s has no status", code)
		}
	}
	codes = slices.DeleteFunc(codes, func(code string) bool { return placements.Code(code) == placements.CodeElsewhere })
	slices.Sort(codes)
	slices.Sort(described)
	if diff := cmp.Diff(codes, described); diff != "" {
		t.Errorf("(-code +document):\n%s", diff)
	}
}

// codesIn lists the values of the text constants of a package whose names have that prefix.
func codesIn(t *testing.T, dir, prefix string) (codes []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, %v", dir, len(files), err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
				codes = append(codes, constantsOf(g, prefix)...)
			}
		}
	}
	return codes
}

// constantsOf lists those of one declaration.
func constantsOf(g *ast.GenDecl, prefix string) (values []string) {
	for _, s := range g.Specs {
		v := s.(*ast.ValueSpec)
		for i, name := range v.Names {
			if !strings.HasPrefix(name.Name, prefix) || i >= len(v.Values) {
				continue
			}
			if text, ok := v.Values[i].(*ast.BasicLit); ok && text.Kind == token.STRING {
				value, _ := strconv.Unquote(text.Value)
				values = append(values, value)
			}
		}
	}
	return values
}
