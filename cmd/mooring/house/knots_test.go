package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// What every package has at most.
const (
	maxCircle  = 6  // files each of which needs each other one
	maxMethods = 40 // of one type
	maxTwins   = 0  // exported types with the name of one that a package below it exports
)

// TestKnots computes the figures of every package.
func TestKnots(t *testing.T) {
	house := load(t)
	for _, name := range slices.Sorted(maps.Keys(house)) {
		p := house[name]
		circle, same := largestCircle(needs(p)), twins(p, house)
		largest, methods := largestType(p)
		t.Logf("%-34s %2d of %2d files in one circle, %3d methods of %s, %d twins", name, len(circle), len(p.Syntax), methods, largest, len(same))
		for _, one := range []struct {
			got, allowed int
			what         string
		}{
			{len(circle), maxCircle, "files need each other: " + strings.Join(circle, ", ")},
			{methods, maxMethods, "methods of " + largest},
			{len(same), maxTwins, "types have the name of one below: " + strings.Join(same, ", ")},
		} {
			if one.got > one.allowed {
				t.Errorf("%s: %d %s; %d may", name, one.got, one.what, one.allowed)
			}
		}
	}
}

// load returns the packages of the house with their types, without tests, by their path in it.
func load(t *testing.T) map[string]*packages.Package {
	t.Helper()
	list, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedTypes |
			packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo,
		Dir: "../../..", BuildFlags: []string{"-tags=nomsgpack"},
	}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	house := map[string]*packages.Package{}
	for _, p := range list {
		for _, err := range p.Errors {
			t.Fatal(err)
		}
		if len(p.Syntax) > 0 {
			house[strings.TrimPrefix(p.PkgPath, "mooring/")] = p
		}
	}
	if len(house) < 20 {
		t.Fatalf("%d packages", len(house))
	}
	return house
}

// needs lists for each file of a package the others of it whose functions, methods, types, constants or variables it uses.
func needs(p *packages.Package) map[string][]string {
	fileOf := func(n interface{ Pos() token.Pos }) string { return filepath.Base(p.Fset.Position(n.Pos()).Filename) }
	graph := map[string][]string{}
	for _, file := range p.Syntax {
		from := fileOf(file)
		graph[from] = nil
		ast.Inspect(file, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			used := p.TypesInfo.Uses[id]
			if used == nil || used.Pkg() != p.Types {
				return true
			}
			method := false
			if f, ok := used.(*types.Func); ok {
				used, method = f.Origin(), f.Signature().Recv() != nil
			}
			if to := fileOf(used); (method || used.Parent() == p.Types.Scope()) && to != from && !slices.Contains(graph[from], to) {
				graph[from] = append(graph[from], to)
			}
			return true
		})
	}
	return graph
}

// largestCircle lists the most files of a package of which each needs each other one, be it through others; one file needs itself.
func largestCircle(graph map[string][]string) (largest []string) {
	var path []string // Tarjan's strongly connected components
	number, low := map[string]int{}, map[string]int{}
	var visit func(string)
	visit = func(file string) {
		number[file] = len(number) + 1
		low[file] = number[file]
		path = append(path, file)
		for _, to := range graph[file] {
			if number[to] == 0 {
				visit(to)
				low[file] = min(low[file], low[to])
			} else if slices.Contains(path, to) {
				low[file] = min(low[file], number[to])
			}
		}
		if low[file] != number[file] {
			return
		}
		from := slices.Index(path, file)
		if len(path)-from > len(largest) {
			largest = slices.Sorted(slices.Values(path[from:]))
		}
		path = path[:from]
	}
	for _, file := range slices.Sorted(maps.Keys(graph)) {
		if number[file] == 0 {
			visit(file)
		}
	}
	return largest
}

// largestType returns the type of a package that has most methods, and how many. Those that a generator wrote are not counted.
func largestType(p *packages.Package) (name string, methods int) {
	for _, each := range p.Types.Scope().Names() {
		if !defines(p, each) || generated(p, p.Types.Scope().Lookup(each)) {
			continue
		}
		if named, ok := p.Types.Scope().Lookup(each).Type().(*types.Named); ok && named.NumMethods() > methods {
			name, methods = each, named.NumMethods()
		}
	}
	return name, methods
}

// generated reports whether something is declared in a file that was generated.
func generated(p *packages.Package, of types.Object) bool {
	return slices.ContainsFunc(p.Syntax, func(file *ast.File) bool {
		return file.FileStart <= of.Pos() && of.Pos() < file.FileEnd && ast.IsGenerated(file)
	})
}

// mayRepeat are names of types that say what they are of with their package's.
var mayRepeat = []string{"Config"}

// twins lists the types of a package that have the name of one which a package below it exports, with that package.
func twins(p *packages.Package, house map[string]*packages.Package) (list []string) {
	lower := allBelow(p, house)
	for _, name := range p.Types.Scope().Names() {
		if !defines(p, name) || !ast.IsExported(name) || slices.Contains(mayRepeat, name) {
			continue
		}
		for _, other := range lower {
			if defines(other, name) {
				list = append(list, fmt.Sprintf("%s.%s", other.Name, name))
			}
		}
	}
	return list
}

// defines reports whether a package defines a type of that name, which is not another one's.
func defines(p *packages.Package, name string) bool {
	of, ok := p.Types.Scope().Lookup(name).(*types.TypeName)
	return ok && !of.IsAlias()
}

// allBelow lists the packages of the house that p imports, directly and through others.
func allBelow(p *packages.Package, house map[string]*packages.Package) (list []*packages.Package) {
	for path := range p.Imports {
		other := house[strings.TrimPrefix(path, "mooring/")]
		if other == nil || slices.Contains(list, other) {
			continue
		}
		list = append(list, other)
		for _, further := range allBelow(other, house) {
			if !slices.Contains(list, further) {
				list = append(list, further)
			}
		}
	}
	slices.SortFunc(list, func(a, b *packages.Package) int { return strings.Compare(a.PkgPath, b.PkgPath) })
	return list
}
