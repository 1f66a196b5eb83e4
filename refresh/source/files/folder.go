package files

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mooring/placements"
	"mooring/refresh/source"
	"mooring/refresh/source/sqlite"
)

// folder is the folder of a source, open.
type folder struct {
	root  *os.Root            // nothing is opened but through it: it follows no link out of the folder
	files map[string][]string // those that are tables, by their table's name, folded
	names []string            // of the tables, sorted
}

// formats are how files are read, by the endings of their names.
var formats = map[string]func(context.Context, *file) (*sqlite.Table, error){
	".csv": csvTable, ".tsv": csvTable, ".jsonl": linesTable, ".ndjson": linesTable, ".parquet": parquetTable,
}

// openFolder opens a folder and reads which files it has. Its error is a fault.
func openFolder(path string) (*folder, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, folderFault(err, path)
	}
	f := &folder{root: root, files: map[string][]string{}}
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, errors.Join(folderFault(err, path), root.Close())
	}
	for _, entry := range entries {
		table := tableName(entry.Name())
		if table == "" {
			continue
		}
		key := folded(table)
		if f.files[key] == nil {
			f.names = append(f.names, table)
		}
		f.files[key] = append(f.files[key], entry.Name())
	}
	slices.Sort(f.names)
	return f, nil
}

func (f *folder) close() { _ = f.root.Close() }

// folderFault says why a folder cannot be read. It may be on a disk that is not mounted now: the source is down.
func folderFault(err error, path string) error {
	name := filepath.Base(path)
	if info, statErr := os.Stat(path); statErr == nil && !info.IsDir() {
		return source.Structure(err, "%q is no folder; correct the source's dir", name)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return source.Fault(placements.Transient, err, "the folder %q is not there; put it back, or correct the source's dir", name)
	case errors.Is(err, fs.ErrPermission):
		return source.Fault(placements.Auth, err, "the folder %q may not be read; allow the service to", name)
	}
	return source.Fault(placements.Transient, err, "the folder %q could not be read; the log says why", name)
}

// tableName is the name of a file without its ending; empty for a file that is no table. Hidden files are none.
func tableName(file string) string {
	ending := filepath.Ext(file)
	if formats[strings.ToLower(ending)] == nil || strings.HasPrefix(file, ".") {
		return ""
	}
	return strings.TrimSuffix(file, ending)
}

// Names lists the tables.
func (f *folder) Names() []string { return f.names }

// Table reads what columns a table has; its rows are read when it is filled.
func (f *folder) Table(ctx context.Context, name string) (*sqlite.Table, error) {
	of := f.files[folded(name)]
	switch {
	case len(of) == 0:
		return nil, nil
	case len(of) > 1:
		return nil, source.Structure(nil, "the table %q is several files: %s; rename all but one", name, strings.Join(of, ", "))
	case reserved(folded(name)):
		return nil, source.Structure(nil, "the table of %s has a name that SQLite keeps for itself; rename the file", of[0])
	}
	file, err := f.open(of[0])
	if err != nil {
		return nil, err
	}
	t, err := formats[strings.ToLower(filepath.Ext(of[0]))](ctx, file)
	if err != nil {
		return nil, file.fault(err)
	}
	t.Name, t.Fill = tableName(of[0]), file.whole(t.Fill)
	return t, nil
}

// reserved reports whether SQLite has tables of its own by such a name.
func reserved(name string) bool {
	return strings.HasPrefix(name, "sqlite_") || strings.HasPrefix(name, "pragma_") || name == "json_each" || name == "json_tree"
}

// open opens a regular file of the folder.
func (f *folder) open(name string) (*file, error) {
	opened, err := f.root.OpenFile(name, os.O_RDONLY|nonBlocking, 0) // a FIFO would be waited for
	if err != nil {
		return nil, f.openFault(err, name)
	}
	info, err := opened.Stat()
	switch {
	case err != nil:
		return nil, f.openFault(err, name)
	case info.IsDir():
		return nil, source.Structure(nil, "%s is a folder and no file; put its files there themselves, each by a name of its own", name)
	case !info.Mode().IsRegular():
		return nil, source.Structure(nil, "%s is a device and no file; remove it", name)
	}
	return &file{File: opened, name: name, info: info}, nil
}

// openFault says why a file cannot be opened.
func (f *folder) openFault(err error, name string) error {
	link, linkErr := f.root.Lstat(name)
	switch {
	case linkErr == nil && link.Mode()&fs.ModeSymlink != 0:
		return source.Structure(err, "%s is a link that leads out of the folder, or to nothing; put the file itself there", name)
	case errors.Is(err, fs.ErrPermission):
		return source.Fault(placements.Auth, err, "%s may not be read; allow the service to", name)
	}
	return source.Fault(placements.Transient, err, "%s could not be opened; try again", name)
}
