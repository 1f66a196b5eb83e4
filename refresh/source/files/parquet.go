package files

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"

	"mooring/placements"
	"mooring/refresh/source"
	"mooring/refresh/source/sqlite"
)

// parquetColumn is a column of a Parquet file: a field of its rows.
type parquetColumn struct {
	of            *parquet.Column
	first, leaves int // of the values that a row has, by column
	flat          parquetLeaf
}

// parquetTable reads the schema.
func parquetTable(ctx context.Context, f *file) (t *sqlite.Table, err error) {
	defer sound(&err)
	in := &parquetInput{ctx: ctx, file: f}
	opened, err := parquet.OpenFile(in, f.info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, parquetFault(err)
	}
	var names []string
	var columns []parquetColumn
	leaves := 0
	t = &sqlite.Table{}
	for _, of := range opened.Root().Columns() {
		c := parquetColumn{of: of, first: leaves, leaves: countLeaves(of)}
		declared := "JSON"
		if of.Leaf() && !of.Repeated() {
			if c.flat, err = leafOf(of); err != nil {
				return nil, err
			}
			declared = c.flat.declared
		}
		leaves += c.leaves
		names, columns = append(names, of.Name()), append(columns, c)
		t.Columns = append(t.Columns, sqlite.TableColumn{Name: of.Name(), Type: declared})
	}
	if len(names) == 0 {
		return nil, wrong("it has no column; write it anew with some")
	}
	t.Fill = func(ctx context.Context, to sqlite.Rows) error {
		in.ctx = ctx
		return fillParquet(opened, columns, leaves, to)
	}
	return t, checkColumns(names)
}

func countLeaves(of *parquet.Column) int {
	if of.Leaf() {
		return 1
	}
	n := 0
	for _, c := range of.Columns() {
		n += countLeaves(c)
	}
	return n
}

// parquetInput reads a file until ctx ends.
type parquetInput struct {
	ctx context.Context
	*file
}

func (in *parquetInput) ReadAt(p []byte, at int64) (int, error) {
	if err := in.ctx.Err(); err != nil {
		return 0, err
	}
	return in.File.ReadAt(p, at)
}

// sound turns a panic of the library, which a file can cause, into an error.
func sound(err *error) {
	if r := recover(); r != nil {
		*err = parquetFault(fmt.Errorf("%v", r))
	}
}

// parquetFault is what is wrong with a file that cannot be read.
func parquetFault(err error) error {
	if _, ok := errors.AsType[*placements.Fault](err); ok {
		return err
	}
	return wrong("no whole Parquet file, or of a form that is not known (%s); write it anew", source.Said("an error", err.Error()))
}

// fillParquet adds the rows, a group after the other.
func fillParquet(from *parquet.File, columns []parquetColumn, leaves int, to sqlite.Rows) (err error) {
	defer sound(&err)
	row := &parquetRow{columns: columns, values: make([][]parquet.Value, leaves)}
	for _, group := range from.RowGroups() {
		if err := fillGroup(group, row, to); err != nil {
			return err
		}
	}
	return nil
}

func fillGroup(group parquet.RowGroup, row *parquetRow, to sqlite.Rows) error {
	const atOnce = 64
	rows := group.Rows()
	defer rows.Close()
	buffer := make([]parquet.Row, atOnce)
	for {
		n, err := rows.ReadRows(buffer)
		for _, values := range buffer[:n] {
			row.split(values)
			if err := row.addTo(to); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return parquetFault(err)
		}
	}
}

// parquetRow is a row by its columns.
type parquetRow struct {
	columns []parquetColumn
	values  [][]parquet.Value // by leaf
	nested  nestedWriter
}

// split finds the values of each leaf, which come one leaf after the other.
func (r *parquetRow) split(values parquet.Row) {
	for leaf := range r.values {
		n := 0
		for n < len(values) && values[n].Column() == leaf {
			n++
		}
		r.values[leaf], values = values[:n], values[n:]
	}
}

func (r *parquetRow) addTo(to sqlite.Rows) error {
	for _, c := range r.columns {
		values := r.values[c.first : c.first+c.leaves]
		switch {
		case c.flat.add == nil:
			if err := r.nested.addTo(to, c.of, values); err != nil {
				return err
			}
		case len(values[0]) != 1:
			return wrong("a row has %d values of column %q; write the file anew", len(values[0]), c.of.Name())
		case values[0][0].IsNull():
			to.Null()
		default:
			c.flat.add(to, values[0][0])
		}
	}
	return to.End()
}
