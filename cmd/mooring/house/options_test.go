package house

import (
	"go/ast"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mooring/placements"
)

// Every option of a placement is asked for where blocks are written, for agents and add-ins alike, and people read of it.
func TestEveryOptionTakesEffect(t *testing.T) {
	code, _ := packageFiles(t)
	var words strings.Builder
	for _, dir := range []string{"refresh", "refresh/host"} {
		text, err := os.ReadFile(filepath.Join(root, dir, "README.md"))
		if err != nil {
			t.Fatal(err)
		}
		words.Write(text)
	}
	for option := range reflect.TypeFor[placements.Options]().Fields() {
		asks := func(f *ast.File) bool { return asksFor(f, option.Name) }
		if !slices.ContainsFunc(code["refresh/document"], asks) {
			t.Errorf("refresh/document never asks for %s", option.Name)
		}
		name, _, _ := strings.Cut(option.Tag.Get("json"), ",")
		if !strings.Contains(words.String(), "`"+name) {
			t.Errorf("neither README of refresh nor that of refresh/host explains `%s`", name)
		}
	}
}

// asksFor reports whether a file has options().NAME.
func asksFor(f *ast.File, name string) (asks bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		if option, is := n.(*ast.SelectorExpr); is && option.Sel.Name == name {
			call, _ := option.X.(*ast.CallExpr)
			asks = asks || call != nil && isSelected(call.Fun, "options")
		}
		return true
	})
	return asks
}

// isSelected reports whether an expression is something's NAME.
func isSelected(e ast.Expr, name string) bool {
	s, is := e.(*ast.SelectorExpr)
	return is && s.Sel.Name == name
}
