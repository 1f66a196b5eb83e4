package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"mooring/placements"
	"mooring/refresh/source"
	"mooring/refresh/source/sqlite"
)

// file is a regular file of the folder. It is read in one state, which info is of.
type file struct {
	*os.File
	name string // in messages
	info fs.FileInfo
}

// lineError is what is wrong with a line of a file.
type lineError struct {
	line int
	text string
}

func (e *lineError) Error() string { return e.text }

// fault says of an error that a file is read with where it lies. Faults, and what is none of the file's own, stay as they are.
func (f *file) fault(err error) error {
	if at, ok := errors.AsType[*lineError](err); ok {
		return source.Structure(nil, "%s, line %d: %s", f.name, at.line, at.text)
	}
	if whole, ok := errors.AsType[*fileError](err); ok {
		return source.Structure(nil, "%s: %s", f.name, whole.text)
	}
	if errors.Is(err, errChanged) {
		return f.changed(err)
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return source.Fault(placements.Transient, err, "%s could not be read; the log says why", f.name)
	}
	return err
}

// fileError is what is wrong with a file as a whole.
type fileError struct{ text string }

func (e *fileError) Error() string { return e.text }

func wrong(format string, args ...any) error { return &fileError{fmt.Sprintf(format, args...)} }

func wrongAt(line int, format string, args ...any) error {
	return &lineError{line, fmt.Sprintf(format, args...)}
}

// whole makes fill fail where the file was written since it was opened, which may be all that is wrong with it.
func (f *file) whole(fill func(context.Context, sqlite.Rows) error) func(context.Context, sqlite.Rows) error {
	return func(ctx context.Context, to sqlite.Rows) error {
		err := fill(ctx, to)
		now, statErr := f.Stat()
		if statErr == nil && (now.Size() != f.info.Size() || !now.ModTime().Equal(f.info.ModTime())) {
			return f.changed(err)
		}
		return f.fault(err)
	}
}

// errChanged is why a file that was read before does not fit what was found in it.
var errChanged = errors.New("not what it was")

func (f *file) changed(err error) error {
	return source.Fault(placements.Transient, err, "%s was written while it was read; try again", f.name)
}

// maxRow bounds what is held of a row of text, in bytes.
const maxRow = source.MaxDriverBytes

// rowInput reads a file from its beginning, until ctx ends, or a row is too long.
type rowInput struct {
	ctx  context.Context
	from io.Reader
	left int // bytes of the current row, at the least
}

func (f *file) input(ctx context.Context) *rowInput {
	return &rowInput{ctx: ctx, from: io.NewSectionReader(f, 0, f.info.Size()), left: maxRow}
}

// nextRow says that a row has ended.
func (in *rowInput) nextRow() { in.left = maxRow }

func (in *rowInput) Read(p []byte) (int, error) {
	if err := in.ctx.Err(); err != nil {
		return 0, err
	}
	if in.left <= 0 {
		return 0, errLongRow
	}
	n, err := in.from.Read(p)
	in.left -= n
	return n, err
}

// errLongRow is the error of input whose row has no end within maxRow.
var errLongRow = errors.New("a row too long")

func longRow(line int) error {
	return wrongAt(line, "a row of more than %s; is a quote missing, or the end of a line?", source.Size(maxRow))
}

// folded is a name as SQLite compares it: it tells no small letter of ASCII from a capital one.
func folded(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, name)
}

// checkColumns returns what is wrong with the names of a table's columns.
func checkColumns(names []string) error {
	if len(names) > sqlite.MaxColumns {
		return wrong("%d columns; a table has at most %d", len(names), sqlite.MaxColumns)
	}
	seen := map[string]int{}
	for i, name := range names {
		if name == "" || strings.ContainsRune(name, 0) {
			return wrong("column %d has no name, or a NUL in it; give it one", i+1)
		}
		if before, ok := seen[folded(name)]; ok {
			return wrong("the columns %d and %d have one name, %q, where capital letters are as small ones; rename one", before, i+1, name)
		}
		seen[folded(name)] = i + 1
	}
	return nil
}
