package sqlite

import (
	"context"
	"errors"
	"strings"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"mooring/placements"
)

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
func (c *connection) compile(sql string, values ...wireValue) (uintptr, error) {
	for {
		stmt, missed := c.prepareOne(sql, values...)
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

// ended is the error of a statement: what else a file is read with fails as soon as ctx ends, SQLite says itself what it was waiting for.
func ended(ctx context.Context, err error) error {
	if _, ok := errors.AsType[*libraryError](err); err == nil || ok || ctx.Err() == nil {
		return err
	}
	return &libraryError{code: sqlite3.SQLITE_INTERRUPT, message: ctx.Err().Error(), offset: -1}
}
