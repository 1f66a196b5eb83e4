package sqlite

import (
	"context"
	"errors"
	"strings"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"mooring/placements"
	"mooring/refresh/source"
)

// Kind is a kind of source that is no SQLite file: its queries run on Tables, each in a child of this program.
type Kind struct {
	Argument string // as the only argument of the program, starts it as a child
	// Open returns what is at a path; it is called in the child. Its error is the fault of every query.
	Open func(path string) (Tables, error)
}

// Tables are what a query may name. A table is made, in the memory of the query's child, when SQLite first misses it, and filled when the whole
// statement compiles. A child runs one statement and ends: nothing is to be closed.
type Tables interface {
	// Names lists them, sorted.
	Names() []string
	// Table returns the table that SQL means by a name; nil where there is none. Its error is the fault of queries that name it.
	Table(ctx context.Context, name string) (*Table, error)
}

// Table is one of Tables.
type Table struct {
	Name    string
	Columns []TableColumn
	// Fill adds all rows, each value in the order of the columns, and ends with the error of a row or of ctx.
	Fill func(ctx context.Context, to Rows) error
}

// Rows takes the rows of a Table: as many values as it has columns, and an End. It keeps nothing of what it is given.
type Rows interface {
	Null()
	Int(v int64)
	Real(v float64)
	Text(text []byte)
	Blob(blob []byte)
	End() error
}

// TableColumn is a column of a Table. Its type decides as in a database file how values are read.
type TableColumn struct{ Name, Type string }

// MaxColumns is how many columns a Table may have.
const MaxColumns = 2000

// RunAsChild runs the query that this process was started for and ends the process, if a source of the kind started it. A program that opens
// such sources calls it first in main, and its tests in TestMain.
func (k Kind) RunAsChild() { runAsChild(k.Argument, k.Open) }

// Engine is what a source of a Kind is made of. All that a source of an SQLite file can do it does in the same way, but for Probe, which is the
// kind's own.
type Engine struct{ *database }

// Engine returns the engine for what is at path. Limits that are zero are the defaults.
func (k Kind) Engine(path string, limits source.Limits) Engine {
	config := Config{Path: path, Limits: limits.WithDefaults(source.DefaultStatementTimeout)}
	return Engine{newDatabase(config, k.Argument)}
}

// Faults returns the faults of the tables that cannot be read.
func (e Engine) Faults(ctx context.Context) (faults []string, err error) {
	err = e.run(ctx, childRequest{Catalog: true}, func(r *resultReader) error {
		list, err := r.columns()
		if err != nil {
			return err
		}
		for _, c := range list {
			if c.Fault != "" {
				faults = append(faults, c.Fault)
			}
		}
		_, err = r.next()
		return err
	})
	return faults, err
}

// dial opens the file at path, or an empty database in memory for the tables there.
func dial(ctx context.Context, path string, open func(string) (Tables, error)) (*connection, error) {
	if open == nil {
		return dialSQLite(ctx, path)
	}
	of, err := open(path)
	if err != nil {
		return nil, err
	}
	c, err := openSQLite(ctx, ":memory:", sqlite3.SQLITE_OPEN_READWRITE)
	if err != nil {
		return nil, err
	}
	c.tables = &madeTables{of: of}
	if err := c.make("PRAGMA journal_mode = OFF"); err != nil { // nothing is rolled back, and a journal would be in memory as well
		c.close()
		return nil, err
	}
	return c, nil
}

// madeTables are those of Tables that a statement names.
type madeTables struct {
	of   Tables
	made []*Table
	open bool // what runs now is ours and may write
}

func (m *madeTables) making() bool { return m != nil && m.open }

// make runs a statement of ours.
func (c *connection) make(sql string) error {
	c.tables.open = true
	defer func() { c.tables.open = false }()
	text, err := libc.CString(sql)
	if err != nil {
		return err
	}
	defer libc.Xfree(c.tls, text)
	if code := sqlite3.Xsqlite3_exec(c.tls, c.db, text, 0, 0, 0); code != sqlite3.SQLITE_OK {
		return c.fail(code)
	}
	return nil
}

// compile is prepareOne, and makes the tables that SQLite misses in it.
func (c *connection) compile(sql string) (uintptr, error) {
	for {
		stmt, missed := c.prepareOne(sql)
		if missed == nil || c.tables == nil {
			return stmt, missed
		}
		switch made, err := c.add(missed); {
		case err != nil:
			return 0, err
		case !made:
			return 0, missed
		}
	}
}

// add makes the table that the error of a statement misses, if that is what it says and there is one.
func (c *connection) add(missed error) (bool, error) {
	e, ok := missed.(*libraryError) //nolint:errorlint // within a fault it is not what the statement fails of
	if !ok {
		return false, nil
	}
	name, ok := strings.CutPrefix(e.message, "no such table: ")
	if !ok {
		return false, nil
	}
	const schema = "main."
	table, err := c.tables.of.Table(c.ctx, name)
	if table == nil && err == nil && len(name) > len(schema) && strings.EqualFold(name[:len(schema)], schema) {
		table, err = c.tables.of.Table(c.ctx, name[len(schema):])
	}
	if table == nil || err != nil {
		return false, err
	}
	c.tables.made = append(c.tables.made, table)
	return true, c.make(table.create())
}

// create is the statement that makes t.
func (t *Table) create() string {
	columns := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		columns[i] = quoted(c.Name) + " " + c.Type
	}
	return "CREATE TABLE " + quoted(t.Name) + " (" + strings.Join(columns, ", ") + ")"
}

func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// fill fills the tables that were made. From then on the database is only read.
func (c *connection) fill() error {
	if c.tables == nil {
		return nil
	}
	for _, t := range c.tables.made {
		if err := c.fillTable(t); err != nil {
			return err
		}
	}
	return c.make("PRAGMA query_only = ON")
}

func (c *connection) fillTable(t *Table) error {
	if err := c.make("BEGIN"); err != nil {
		return err
	}
	c.tables.open = true
	defer func() { c.tables.open = false }()
	rows, err := c.rowsOf(t)
	if err != nil {
		return err
	}
	defer rows.close()
	if err := t.Fill(c.ctx, rows); err != nil {
		return err
	}
	return c.make("COMMIT")
}

// catalog returns the columns of all tables, or their faults.
func (m *madeTables) catalog(c *connection) (list []wireColumn, err error) {
	for _, name := range m.of.Names() {
		t, err := m.of.Table(c.ctx, name)
		if c.ctx.Err() != nil {
			return nil, c.ctx.Err()
		}
		if known, ok := errors.AsType[*placements.Fault](err); ok {
			list = append(list, wireColumn{Of: name, Fault: known.Message})
			continue
		}
		if err != nil {
			return nil, err
		}
		if t == nil { // it is gone since
			continue
		}
		for _, column := range t.Columns {
			list = append(list, wireColumn{Of: t.Name, Name: column.Name, Declared: column.Type})
		}
	}
	return list, nil
}

// ended is the error of a statement, which after the end of ctx is that.
func ended(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return &libraryError{code: sqlite3.SQLITE_INTERRUPT, message: ctx.Err().Error(), offset: -1}
	}
	return err
}
