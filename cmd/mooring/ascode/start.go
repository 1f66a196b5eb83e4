package ascode

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"mooring/cmd/mooring/yaml"
)

// Start is a project that begins.
type Start struct {
	Project    string
	Deployment int64
	Server     string // empty: MOORING_SERVER says it, or who signed in
}

// Fault says what is wrong with what the project is to be, and what to do; empty for nothing.
func (s Start) Fault() string {
	switch {
	case nameOfProject.Wrong(s.Project) != "":
		return nameOfProject.Wrong(s.Project)
	case s.Deployment < 1:
		return "a deployment is a whole number from 1: write the one that the project is applied to"
	case s.Server != "" && server.Wrong(s.Server) != "":
		return fmt.Sprintf("%q %s", s.Server, server.Wrong(s.Server))
	}
	return ""
}

// ProjectName makes a project's name of a text, such as the name of a folder.
func ProjectName(text string) string { return cmp.Or(fileName(text), "reports") }

// IsProject reports whether a folder has a project.yaml, or one of another ending that was meant to be it.
func IsProject(dir string) (name string, found bool) {
	for _, name := range []string{projectFile, "project.yml"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return name, true
		}
	}
	return "", false
}

// Write makes the project's folder, and returns the names of the files that it wrote. A .gitignore that is there stays as it is.
func (s Start) Write(dir string) (files []string, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	if err := writeNew(root, projectFile, s.text(), 0o644); err != nil {
		return nil, err
	}
	files = []string{projectFile}
	err = writeNew(root, ".gitignore", ignored, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return files, nil
	}
	return append(files, ".gitignore"), err
}

// ignored is what a repository leaves out of a project's folder.
const ignored = "# A plan that mooring plan -o wrote holds for 24 hours, and has what stands in reports.\nplan.json\n"

// text is project.yaml.
func (s Start) text() string {
	head := map[string]any{"project": s.Project}
	if s.Server != "" {
		head["server"] = s.Server
	}
	order := projectShape().Order()
	text := "# A project of Mooring: mooring validate checks its files, mooring plan shows what they would change, mooring apply does it.\n"
	text += yaml.Emit(head, order)
	if s.Server == "" {
		text += "# server: https://acme.example.com    # without it, MOORING_SERVER, or the one that mooring login signed in to last\n"
	}
	return text + fmt.Sprintf("environments:\n  main: {deployment: %d}    # also values, roles, and ids: derived for a second one\n", s.Deployment) + startExample
}

// startExample is what a project's files may say, as comments: a file's name, and below it its text.
const startExample = `
# An example. Each part goes into the file that stands above it, without "#   "; mooring pull --adopt all brings what the server has.
#
# reports/orders.yaml
#   publicId: OrdersReport      # 12 letters and digits of your choice
#   name: Orders
#   rowKey: [id]                # edits and formulas beside a row follow it
# reports/orders.sql
#   SELECT id, customer, amount FROM orders ORDER BY id
# placements/orders.yaml
#   document: orders.xlsx
#   host: excel                 # or google
#   items:
#     - {report: OrdersReport, sheet: Sheet1, at: B2}
# schedules/weekdays.yaml
#   key: weekdays
#   cron: 0 7 * * 1-5           # weekdays at 7:00
#   timezone: Europe/Berlin
#   target: {report: OrdersReport}
`
