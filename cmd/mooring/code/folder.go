package code

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mooring/cmd/mooring/ascode"
	"mooring/cmd/mooring/process"
	"mooring/storage/record/portable"
)

// environmentFlag chooses one of a project's environments.
type environmentFlag struct {
	Env string `placeholder:"NAME" help:"The environment; without it, the default of project.yaml."`
}

// folderFlags name a project's folder and environment.
type folderFlags struct {
	Dir string `arg:"" optional:"" default:"." help:"The project's folder; without it, this one."`
	environmentFlag
}

// files are a project's folder as the commands show it.
type files struct {
	*ascode.Folder
	dir    string // as its files are named to the person
	inRepo string // as the repository names it
}

// readFolder reads a folder. The error is ascode.Faults for what is wrong with its files.
func readFolder(s *process.Invocation, dir, environment string) (*files, error) {
	read, err := ascode.Read(dir, environment, ascode.Variable(s.Env))
	return &files{Folder: read, dir: filepath.Clean(dir), inRepo: inRepository(s, dir)}, err
}

// openFolder is readFolder for a command that needs a folder without faults: they name their files from here.
func openFolder(s *process.Invocation, dir, environment string) (*files, error) {
	f, err := readFolder(s, dir, environment)
	if err != nil {
		return f, f.named(err)
	}
	f.warn(s, slices.Concat(f.Warnings(), f.Unasked()))
	return f, nil
}

// warn writes what is probably not meant to stderr.
func (f *files) warn(s *process.Invocation, warnings ascode.Faults) {
	for _, one := range f.placed(warnings) {
		s.Progress("warning: %s", ascode.Line(one.String()))
	}
}

// inRepository is a folder as the repository names it: GitHub's annotations name files so. Elsewhere the repository is what is around the
// current folder.
func inRepository(s *process.Invocation, dir string) string {
	around, set := s.Env("GITHUB_WORKSPACE")
	full, err := filepath.Abs(dir)
	if !set || err != nil {
		around, err = os.Getwd()
	}
	if err != nil {
		return filepath.ToSlash(dir)
	}
	if inside, err := filepath.Rel(around, full); err == nil && filepath.IsLocal(inside) {
		return filepath.ToSlash(inside)
	}
	return filepath.ToSlash(dir)
}

// named returns an error whose faults name the folder's files from here.
func (f *files) named(err error) error {
	var faults ascode.Faults
	if !errors.As(err, &faults) {
		return err
	}
	return f.placed(faults)
}

// placed returns faults whose places name the folder's files from here.
func (f *files) placed(faults ascode.Faults) ascode.Faults {
	named := slices.Clone(faults)
	for i, fault := range faults {
		named[i].Place.File = filepath.Join(f.dir, filepath.FromSlash(fault.Place.File))
	}
	return named
}

// bundleFlags are what a plan of a folder may do beyond what the files say.
type bundleFlags struct {
	Prune    bool     `help:"Delete what this project applied before and its files no longer have."`
	Detach   bool     `help:"Delete reports with placements too; their cells stay."`
	Preview  bool     `help:"Say what the next writes do to the spreadsheets: runs the queries and reads the documents."`
	TakeOver []string `placeholder:"ASSET" sep:"none" help:"Take an asset over from its project, such as report:PUBLICID; repeat for more."`
	Adopt    []string `placeholder:"ASSET" sep:"none" help:"Of reports that show one publicId, the one meant: report:#17; of a schedule without a key, that it is meant: schedule:#17; repeat for more."`
}

// none reports whether nothing was asked for.
func (b bundleFlags) none() bool {
	return !b.Prune && !b.Detach && !b.Preview && len(b.TakeOver)+len(b.Adopt) == 0
}

// encode returns the body that a plan of the folder is asked for with.
func (b bundleFlags) encode(f *files) ([]byte, error) {
	for _, name := range slices.Concat(b.TakeOver, b.Adopt) {
		if !namesAsset(name) {
			return nil, &process.UsageError{Message: fmt.Sprintf("%q names no asset: write one such as report:RevByRegion1", name)}
		}
	}
	bundle := f.Bundle()
	if b.Prune && len(bundle.Assets) == 0 {
		return nil, fmt.Errorf("%s has no assets, and nothing is pruned from an empty folder: is it the right one?", f.dir)
	}
	if b.Prune {
		bundle.Prune = &f.Project.Prune
	}
	bundle.Detach, bundle.Preview, bundle.TakeOver, bundle.Adopt = b.Detach, b.Preview, b.TakeOver, b.Adopt
	body, err := bundle.Encode()
	return body, f.named(err)
}

// namesAsset reports whether a text is an asset's kind and name.
func namesAsset(text string) bool {
	kind, ref, ok := strings.Cut(text, ":")
	switch portable.AssetKind(kind) {
	case portable.KindReport, portable.KindWorkbook, portable.KindPlacement, portable.KindSchedule:
		return ok && ref != ""
	}
	return false
}
