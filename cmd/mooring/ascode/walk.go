package ascode

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"mooring/cmd/mooring/yaml"
	"mooring/storage/record/portable"
)

// reader reads a folder, collecting faults.
type reader struct {
	*Folder
	root   *os.Root
	texts  map[string]string // by name, of the files that are read
	bytes  int
	faults Faults
	refs   []*yaml.Node          // publicIds of reports in definitions, which become those of the environment
	named  []yaml.Node           // publicIds of reports that files name
	above  map[string]yaml.Place // where reports say, by their publicIds, that they show their filters above their blocks
	top    []*yaml.Node          // items of placements in row 1
	first  map[string]yaml.Place // where assets stand first, by kind and what tells them apart
}

// visit reads one entry of the folder.
func (r *reader) visit(name string, entry fs.DirEntry, err error) error {
	hidden := hidden(name) && name != "."
	top, _, _ := strings.Cut(name, "/")
	switch {
	case name == "." && err != nil:
		return err
	case hidden && entry != nil && entry.IsDir():
		return fs.SkipDir
	case hidden:
		return nil
	case err != nil:
		r.faults.add(RuleFile, yaml.Place{File: name}, "cannot be read: %v", err)
		return nil
	case entry.IsDir():
		return r.directory(name)
	case !wanted(name) && (entry.Type().IsRegular() || kindOf(top) == ""):
		return nil
	case !entry.Type().IsRegular():
		r.faults.add(RuleFile, yaml.Place{File: name}, "is a link or no file: put the file itself here")
		return nil
	}
	return r.read(name)
}

// directory passes by directories that have no assets, but for those that look as if they were meant to.
func (r *reader) directory(name string) error {
	top, _, nested := strings.Cut(name, "/")
	if name == "." || kindOf(top) != "" {
		return nil
	}
	var known []string
	for _, k := range kinds() {
		known = append(known, directory(k.name))
	}
	if s := yaml.Suggestion(name, known); !nested && strings.HasPrefix(s, "write ") {
		r.faults.add(RuleFile, yaml.Place{File: name}, "is not read: %s", s)
	}
	return fs.SkipDir
}

// hidden reports whether a file, or a directory that it is in, has a name that begins with a dot. Such are none of the project's.
func hidden(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(step string) bool { return strings.HasPrefix(step, ".") })
}

// kindOf returns the kind whose files stand in a directory, empty for none.
func kindOf(name string) portable.AssetKind {
	for _, k := range kinds() {
		if directory(k.name) == name {
			return k.name
		}
	}
	return ""
}

// wanted reports whether a file is one of the project's.
func wanted(name string) bool {
	top, _, nested := strings.Cut(name, "/")
	switch {
	case !nested:
		return name == projectFile || name == "project.yml" || name == lockFile
	case isYAML(name):
		return kindOf(top) != ""
	}
	return path.Ext(name) == ".sql" && kindOf(top) == portable.KindReport
}

func isYAML(name string) bool { return path.Ext(name) == ".yaml" || path.Ext(name) == ".yml" }

// stem returns a file's name without its ending.
func stem(name string) string { return strings.TrimSuffix(name, path.Ext(name)) }

func (r *reader) read(name string) error {
	text, err := r.content(name)
	switch {
	case err != nil:
		r.faults.add(RuleFile, yaml.Place{File: name}, "cannot be read: %v", err)
		return nil
	case name != lockFile:
		r.bytes += len(text)
	}
	if r.bytes > MaxBytes {
		r.faults.add(RuleLimit, yaml.Place{File: name}, "the files up to here have more than %d bytes: split the project", MaxBytes)
		return fs.SkipAll
	}
	r.texts[name] = text
	return nil
}

// content reads a file, at most one byte more than a plan may have.
func (r *reader) content(name string) (string, error) {
	f, err := r.root.Open(name)
	if err != nil {
		return "", errors.Unwrap(err)
	}
	text, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	return string(text), errors.Join(err, f.Close())
}
