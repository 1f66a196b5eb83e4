package source

import (
	"context"
	"errors"
)

// Catalog is a Source that can list what queries may name.
type Catalog interface {
	// Catalog returns what the source has for u and its login may read, at most MaxDatasets: of a database its tables and views, each by a
	// name of its own, of a semantic layer its views, then its cubes. Like Query it is read-only and within the statement timeout and the
	// connections of the source; what bounds results does not bound it. ErrUnlisted: the source keeps no such list. Faults are those of
	// Check.
	Catalog(ctx context.Context, u User) ([]Dataset, error)
}

// ErrUnlisted is the error of a source that does not say what it has.
var ErrUnlisted = errors.New("the source lists nothing")

// The bounds of a catalog.
const (
	MaxDatasets = 10_000
	maxListed   = 200_000 // columns of all of them
)

// DatasetKind says what a Dataset is.
type DatasetKind string

// The kinds.
const (
	KindTable DatasetKind = "table"
	KindView  DatasetKind = "view" // of a database, or of a semantic layer
	KindCube  DatasetKind = "cube"
)

// Dataset is something that a query may name. It has Columns in a database and Members in a semantic layer.
type Dataset struct {
	Name               string // sales.orders where a table is not found without its schema
	Kind               DatasetKind
	Title, Description string // empty: the source has none
	Insert             string // the name as a query has it, quoted where it must be
	Members, Columns   []Field
}

// Field is a member or column of a Dataset.
type Field struct {
	Name               string // of a member with that of its view or cube: orders.count
	Title, Description string // empty: the source has none
	Insert             string // the name as a query has it
	Type               FieldType
	Role               FieldRole // of a member
}

// FieldType is what the values of a Field are.
type FieldType string

// The types.
const (
	TypeText     FieldType = "text"
	TypeNumber   FieldType = "number"
	TypeBoolean  FieldType = "boolean"
	TypeDate     FieldType = "date"
	TypeDateTime FieldType = "datetime"
	TypeTime     FieldType = "time" // of a day
	TypeDuration FieldType = "duration"
	TypeJSON     FieldType = "json"
	TypeOther    FieldType = "other" // none of these, or the source does not say
)

// FieldRole is what a member of a semantic layer is for.
type FieldRole string

// The roles.
const (
	RoleDimension FieldRole = "dimension"
	RoleMeasure   FieldRole = "measure"
	RoleSegment   FieldRole = "segment"
)

// ColumnList collects the datasets of a database, whose columns come one after the other.
type ColumnList struct {
	list  []Dataset
	count int
	full  bool
}

// Add adds a column of a dataset, to the last one if it is of that. It reports whether there is room for another one.
func (c *ColumnList) Add(of Dataset, column Field) bool {
	last := len(c.list) - 1
	isNew := last < 0 || c.list[last].Name != of.Name
	if c.full = c.full || isNew && len(c.list) == MaxDatasets || c.count == maxListed; c.full {
		return false
	}
	if isNew {
		c.list, last = append(c.list, of), last+1
	}
	c.list[last].Columns = append(c.list[last].Columns, column)
	c.count++
	return true
}

// Datasets returns what was collected.
func (c *ColumnList) Datasets() []Dataset { return c.list }
