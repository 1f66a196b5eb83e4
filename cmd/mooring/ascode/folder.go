package ascode

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"mooring/cmd/mooring/yaml"
	"mooring/storage/record/portable"
)

// The bounds of a plan, as the server has them.
const (
	MaxAssets = 2_000
	MaxBytes  = 8 << 20
)

// Folder is a project's folder as it was read, for one environment.
type Folder struct {
	Project ProjectFile

	dir    string
	assets []*asset // in the order of the bundle
	files  map[string]*file
	lock   lock

	project *file                 // project.yaml
	reports map[string]yaml.Place // where the publicIds of files stand

	warnings Faults // that reading the files found
}

// file is a file of the folder.
type file struct {
	name string
	kind portable.AssetKind // empty for project.yaml
	text string
	root *yaml.Node     // with variables replaced
	raw  map[string]any // as the file writes it
	sql  *sqlFile       // beside a report
}

// sqlFile is a file of SQL beside a report's file.
type sqlFile struct{ name, text string }

// asset is one asset of a file.
type asset struct {
	kind    portable.AssetKind
	ref     string
	protect bool
	def     *yaml.Node // in the words of the wire
	file    *file
	item    int        // of placements: the index in items
	at      yaml.Place // of what names it
}

// Read reads the folder at dir for one of its environments; an empty name is the default one. The error is Faults for what is wrong with
// the files: all of it.
func Read(dir, environment string, lookup Variable) (*Folder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // only read from
	folder := &Folder{dir: dir, files: map[string]*file{}, reports: map[string]yaml.Place{}}
	r := reader{Folder: folder, root: root, texts: map[string]string{}, first: map[string]yaml.Place{}, above: map[string]yaml.Place{}}
	if err := fs.WalkDir(root.FS(), ".", r.visit); err != nil {
		return nil, err
	}
	if r.bytes > MaxBytes { // what was not read would be missing
		return r.Folder, r.faults.err()
	}
	r.parse(environment, lookup)
	r.link()
	return r.Folder, r.faults.err()
}

// parse reads the files' texts.
func (r *reader) parse(environment string, lookup Variable) {
	if locked, err := parseLock(r.texts[lockFile]); err != nil {
		r.faults.add(RuleFile, yaml.Place{File: lockFile}, "%v", err)
	} else {
		r.lock = locked
	}
	delete(r.texts, lockFile)
	r.parseProject(environment, lookup)
	sorted := names(r.texts)
	for _, name := range sorted {
		if isYAML(name) && strings.Contains(name, "/") {
			r.asset(name)
		}
	}
	for _, name := range sorted {
		if path.Ext(name) == ".sql" && !r.claimed(name) {
			r.faults.add(RuleFile, yaml.Place{File: name}, "no report stands beside it: name it like its report's file, or take it out")
		}
	}
	if len(r.assets) > MaxAssets {
		const message = "the folder has %d assets, a plan at most %d: split the project"
		r.faults.add(RuleLimit, yaml.Place{File: projectFile}, message, len(r.assets), MaxAssets)
	}
}

func (r *reader) parseProject(environment string, lookup Variable) {
	text, found := r.texts[projectFile]
	if !found {
		message := "is missing: write one with project and environments"
		if _, other := r.texts["project.yml"]; other {
			message = "is missing: name project.yml so"
		}
		r.faults.add(RuleFile, yaml.Place{File: projectFile}, "%s", message)
		return
	}
	if root := r.tree(projectFile, text); root != nil {
		r.project = &file{name: projectFile, text: text, raw: root.Value().(map[string]any)}
		r.Project = r.faults.project(root, environment, lookup)
	}
}

// tree parses a file of keys and values; nil is one that is not.
func (r *reader) tree(name, text string) *yaml.Node {
	r.faults.fitsNoSecret(name, text)
	root, faults := yaml.Parse(name, text)
	r.faults = append(r.faults, faults...)
	switch {
	case root == nil && len(faults) > 0:
		return nil
	case root == nil || root.Kind == yaml.Null:
		r.faults.add(yaml.RuleYAML, yaml.Place{File: name}, "is empty: write what it is about, or take it out")
		return nil
	case root.Kind != yaml.Mapping:
		r.faults.add(yaml.RuleYAML, root.Place, "expected keys and values, found %s: write key: value", root.Kind)
		return nil
	}
	return root
}

// claimed reports whether a file of SQL stands beside a report.
func (r *reader) claimed(name string) bool {
	_, long := r.texts[stem(name)+".yaml"]
	_, short := r.texts[stem(name)+".yml"]
	if long && short {
		r.faults.add(RuleFile, yaml.Place{File: name}, "two files stand beside it, .yaml and .yml: rename one of them")
	}
	return long || short
}

// asset reads an asset file. One that is not of its kind's shape adds no assets.
func (r *reader) asset(name string) {
	top, _, _ := strings.Cut(name, "/")
	f := &file{name: name, kind: kindOf(top), text: r.texts[name]}
	if f.root = r.tree(name, f.text); f.root == nil {
		return
	}
	f.raw = f.root.Value().(map[string]any)
	r.files[name] = f
	if sql, found := r.texts[stem(name)+".sql"]; found && f.kind == portable.KindReport {
		r.faults.fitsNoSecret(stem(name)+".sql", sql)
		f.sql = &sqlFile{name: stem(name) + ".sql", text: sql}
	}
	r.faults.expandAsset(f.root, f.kind, r.Project)
	misshapen := shapeOf(f.kind).Check(f.root)
	r.faults = append(r.faults, misshapen...)
	step := steps()[f.kind]
	if step.refer(r, f.root); len(misshapen) == 0 { // what it refers to is told too, as far as its values are of their kinds
		step.wire(r, f)
	}
}

// step is how the files of a kind are read.
type step struct {
	refer func(r *reader, root *yaml.Node) // reports what is wrong with what a file names
	wire  func(r *reader, f *file)         // adds the assets of a file of its kind's shape
}

func steps() map[portable.AssetKind]step {
	return map[portable.AssetKind]step{
		portable.KindReport:    {(*reader).referReport, (*reader).wireReport},
		portable.KindWorkbook:  {(*reader).referWorkbook, (*reader).wireWorkbook},
		portable.KindPlacement: {(*reader).referPlacements, (*reader).wirePlacements},
		portable.KindSchedule:  {(*reader).referSchedule, (*reader).wireSchedule},
	}
}

func (a *asset) String() string { return fmt.Sprintf("%s:%s", a.kind, a.ref) }

func (a *asset) definition() map[string]any { return a.def.Value().(map[string]any) }
