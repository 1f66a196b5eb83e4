// Command gosec looks for what is unsafe in the code of the program, by the rules of gosec, and prints a line for each finding. Tests and what
// only tests and measurements import is left out: it runs on machines of developers, on what it made itself; so is generated code. A single line
// that is right says so itself: // #nosec RULE -- why.
//
// Gosec's own command would load each package by itself, and is built with the clients of three language models.
//
//	go -C scripts/gosec run . ../..
package main

import (
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/securego/gosec/v2"
	"github.com/securego/gosec/v2/analyzers"
	"github.com/securego/gosec/v2/issue"
	"github.com/securego/gosec/v2/rules"
	"golang.org/x/tools/go/packages"
)

// Rules whose findings were all looked at, and of which none is a fault, for a reason that holds everywhere.
var excluded = []string{
	"G103",         // unsafe: texts that share bytes which never change, and SQLite's memory
	"G104",         // errors of hashes, of writers in memory, and of closing what was only read
	"G115",         // integers: sizes of what is in memory or was compared with a limit, and codings and digests that cut on purpose
	"G301", "G306", // folders and files that others are to read: a project, a demo's workbook, an add-in to be served
	"G304", // files that the configuration or a flag names: who says so may read them
	"G404", // chance that need not be secret: pauses, and revisions of records
}

// Packages that only tests and measurements import.
var testPackages = []string{
	"mooring/storage/storagetest", "mooring/refresh/source/sourcetest", "mooring/refresh/host/hosttest", "mooring/web/webtest",
	"mooring/cmd/mooring/programtest",
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: gosec FOLDER")
		os.Exit(2)
	}
	found, err := run(os.Args[1])
	for _, line := range found {
		fmt.Println(line)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gosec:", err)
	}
	if err != nil || len(found) > 0 {
		os.Exit(1)
	}
}

// run returns a line for each finding in the module of a folder. It fails where a package does not compile.
func run(folder string) (found []string, err error) {
	root, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	loaded, err := packages.Load(&packages.Config{Mode: gosec.LoadMode, Dir: root, BuildFlags: []string{"-tags=nomsgpack"}}, "./...")
	if err != nil {
		return nil, err
	}
	if packages.PrintErrors(loaded) > 0 {
		return nil, errors.New("not all packages compile")
	}
	ruleList := rules.Generate(false, rules.NewRuleFilter(true, excluded...))
	analyzerList := analyzers.Generate(false, analyzers.NewAnalyzerFilter(true, excluded...))
	for _, p := range loaded {
		if slices.ContainsFunc(testPackages, func(path string) bool { return p.PkgPath == path || strings.HasPrefix(p.PkgPath, path+"/") }) {
			continue
		}
		analyzer := gosec.NewAnalyzer(gosec.NewConfig(), false, true, false, 1, log.New(io.Discard, "", 0))
		analyzer.LoadRules(ruleList.RulesInfo())
		analyzer.LoadAnalyzers(analyzerList.AnalyzersInfo())
		analyzer.CheckRules(p)
		analyzer.CheckAnalyzers(p)
		issues, _, faults := analyzer.Report()
		for _, i := range issues {
			found = append(found, line(root, i))
		}
		for file, fault := range faults {
			return found, fmt.Errorf("%s: %v", file, fault)
		}
	}
	return found, nil
}

// line is a finding as compilers print theirs, with the path of its file below root.
func line(root string, i *issue.Issue) string {
	file, err := filepath.Rel(root, i.File)
	if err != nil {
		file = i.File
	}
	return fmt.Sprintf("%s:%s: %s: %s", file, i.Line, i.RuleID, i.What)
}
