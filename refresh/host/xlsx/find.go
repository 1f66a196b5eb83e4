package xlsx

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/text/unicode/norm"

	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/xlsx/archive"
)

var _ host.Finder = (*Folder)(nil)

// maxIndexed is how many files and folders an index has.
const maxIndexed = 20_000

// index lists the spreadsheets of a folder and those below. Callers that wait for it while it is made share the next one: none is older than
// the call that it answers.
type index struct {
	turn   chan struct{} // holds whose turn it is
	calls  atomic.Int64
	made   int64 // calls that had come when the last one was begun
	byName map[string][]string
	err    error // why it is not complete
}

func newIndex() index { return index{turn: make(chan struct{}, 1)} }

// foldedName is what the names of a file have in common that differ in case, or in how accents are put together, as those of a Mac do.
func foldedName(name string) string { return strings.ToLower(norm.NFC.String(name)) }

// isSpreadsheet reports whether a file can be a workbook, and is no lock of one.
func isSpreadsheet(name string) bool {
	extension := strings.ToLower(path.Ext(name))
	return (extension == ".xlsx" || extension == ".xlsm") && !strings.HasPrefix(name, "~$") && !strings.HasPrefix(name, ".")
}

// Find is host.Finder's. It looks for the last element of the address, and for the name, in the folder and those below. Links are not
// followed: what they lead to has its own name. An address of the web lies outside, but the file may be a copy that is kept in step.
func (x *Folder) Find(ctx context.Context, hint host.Hint, tried map[string]bool, budget *host.Budget) ([]host.Candidate, error) {
	address := host.ParseAddress(hint.URL)
	names := slices.DeleteFunc([]string{address.Name, host.ParseAddress(hint.Name).Name}, func(name string) bool { return !isSpreadsheet(name) })
	var why []error
	if address.Host != "" {
		why = append(why, host.ErrOutside)
	}
	if len(names) == 0 {
		return nil, errors.Join(why...)
	}
	if err := budget.Take(1); err != nil {
		return nil, errors.Join(append(why, err)...)
	}
	var found []host.Candidate
	files, incomplete := x.files(ctx, names)
	slices.SortStableFunc(files, func(a, b string) int {
		return cmp.Or(alike(address.Path, b)-alike(address.Path, a), strings.Count(a, "/")-strings.Count(b, "/"), strings.Compare(a, b))
	})
	for _, file := range files {
		found = append(found, host.Candidate{ID: file, Name: path.Base(file), At: address.Host != "" && alike(address.Path, file) == strings.Count(file, "/")+1})
	}
	chosen, err := budget.Choose(found, tried)
	return chosen, errors.Join(append(why, incomplete, err)...)
}

// alike is how many elements at their ends two paths share.
func alike(a, b string) (n int) {
	as, bs := strings.Split(a, "/"), strings.Split(b, "/")
	for n < min(len(as), len(bs)) && foldedName(as[len(as)-1-n]) == foldedName(bs[len(bs)-1-n]) {
		n++
	}
	return n
}

// files returns the files of some names. incomplete is why there may be more.
func (x *Folder) files(ctx context.Context, names []string) (files []string, incomplete error) {
	call := x.index.calls.Add(1)
	select {
	case x.index.turn <- struct{}{}:
		defer func() { <-x.index.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if x.index.made < call {
		begun := x.index.calls.Load()
		byName, err := x.list(ctx)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		x.index.made, x.index.byName, x.index.err = begun, byName, err
	}
	for _, name := range names {
		files = append(files, x.index.byName[foldedName(name)]...)
	}
	return files, x.index.err
}

// list goes through the folder and those below, the nearest first.
func (x *Folder) list(ctx context.Context) (byName map[string][]string, err error) {
	folder, err := archive.OpenDir(x.dir)
	if err != nil {
		return nil, &placements.Fault{
			Class: placements.Transient, Message: "The folder of spreadsheets cannot be read: check that it is there, and that the service may read it.", Err: err,
		}
	}
	defer folder.Close()
	l := listing{folder: folder, byName: map[string][]string{}, below: []string{"."}}
	for ; len(l.below) > 0 && ctx.Err() == nil && l.seen <= maxIndexed; l.below = l.below[1:] {
		if failed := l.add(l.below[0]); failed != nil {
			err = &placements.Fault{
				Class: placements.Auth, Message: "Folders below the folder of spreadsheets cannot be read: let the service read them.", Err: failed,
			}
		}
	}
	if l.seen > maxIndexed {
		err = errors.Join(err, host.ErrMany)
	}
	return l.byName, err
}

// listing is a list in progress.
type listing struct {
	folder *archive.Dir
	byName map[string][]string
	below  []string // folders to go through
	seen   int      // files and folders
}

// listed is how many entries of a folder are read at once.
const listed = 500

// add adds what a folder has.
func (l *listing) add(at string) error {
	dir, err := l.folder.OpenBelow(at, at)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer dir.Close()
	for {
		entries, err := dir.ReadDir(listed)
		for _, e := range entries {
			if l.seen++; l.seen > maxIndexed {
				return nil
			}
			name := path.Join(at, e.Name())
			switch {
			case e.IsDir():
				l.below = append(l.below, name)
			case e.Type().IsRegular() && isSpreadsheet(e.Name()):
				l.byName[foldedName(e.Name())] = append(l.byName[foldedName(e.Name())], name)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
