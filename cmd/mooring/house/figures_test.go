package house

import (
	"go/ast"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The commands by which READMEs say that a figure was measured name tests that there are, and variables that these read.
func TestCommandsOfFiguresNameTests(t *testing.T) {
	_, tests := packageFiles(t)
	commands := commandsOfTests(t)
	if !slices.ContainsFunc(commands, func(c string) bool { return strings.HasPrefix(c, "MOORING_TREES=10000 ") }) {
		t.Errorf("no command looks for documents in 10,000 trees: %q", commands)
	}
	for _, command := range commands {
		run := regexp.MustCompile(`-run (\S+)`).FindStringSubmatch(command)
		dirs := regexp.MustCompile(` \./(\S+)`).FindAllStringSubmatch(command, -1)
		if run == nil || len(dirs) == 0 {
			t.Errorf("%s names no test of a package", command)
			continue
		}
		for _, dir := range dirs {
			if !slices.ContainsFunc(tests[dir[1]], func(f *ast.File) bool { return hasTest(f, regexp.MustCompile(run[1])) }) {
				t.Errorf("%s: %s has no such test", command, dir[1])
			}
			for _, variable := range regexp.MustCompile(`(MOORING_\w+)=`).FindAllStringSubmatch(command, -1) {
				if !reads(t, dir[1], variable[1]) {
					t.Errorf("%s: no test of %s reads %s", command, dir[1], variable[1])
				}
			}
		}
	}
}

// commandsOfTests are the commands in all READMEs that run a test.
func commandsOfTests(t *testing.T) (commands []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && entry.Name() == "node_modules" {
			return fs.SkipDir
		}
		if err != nil || path.Base(name) != "README.md" {
			return err
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		for _, code := range regexp.MustCompile("`([^`\n]*go test [^`\n]*)`").FindAllStringSubmatch(string(text), -1) {
			commands = append(commands, code[1])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return commands
}

// hasTest reports whether a file has a test whose name a pattern matches.
func hasTest(f *ast.File, pattern *regexp.Regexp) bool {
	return slices.ContainsFunc(f.Decls, func(d ast.Decl) bool {
		fn, ok := d.(*ast.FuncDecl)
		return ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Test") && pattern.MatchString(fn.Name.Name)
	})
}

// reads reports whether a test of a package names a variable of the environment.
func reads(t *testing.T, dir, variable string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(name string) bool {
		text, err := os.ReadFile(name)
		return err == nil && strings.Contains(string(text), `"`+variable+`"`)
	})
}
