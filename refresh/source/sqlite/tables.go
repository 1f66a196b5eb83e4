package sqlite

import "context"

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
