package marks

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mooring/placements"
)

// The model of a sheet as a person sees it: records of the source by their keys, and marks, which are what people put beside records, on
// their cells, or anywhere in the document to refer to one of their cells. The model knows to which record a mark belongs, and nothing of
// where records stand: that is read from the sheet, by the keys.

// The columns of the sheet, from the block's first.
const (
	keyColumn   = 0
	firstNumber = 1
	lastNumber  = 2
	twiceColumn = 3 // formulas that are filled down
	noteColumn  = 4 // what people type beside records
	apartColumn = 6 // what no shift moves
)

// item is a row of the block: a record of the source, or a row that a person typed.
type item struct {
	key     string
	numbers [2]int         // as the source has them
	typed   map[int]string // cells of a person, by column; a formula is a ref
	note    string
	comment string
	person  bool // the source does not have it
	fresh   bool // it is to be written for the first time, or again
}

// refKind is where a reference stands.
type refKind int

const (
	refOther refKind = iota // on the other sheet
	refName                 // a defined name
	refApart                // beside the block, in a column that no shift moves
	refBelow                // below the block
	refNote                 // beside a record
	refTyped                // in a cell of the block
)

// ref refers to a cell of an item.
type ref struct {
	id     int
	kind   refKind
	target *item // nil: its row is gone
	column int   // of target's cell
	holder *item // of refNote and refTyped
	// where it stands: the row of its sheet of refOther and refApart, the rows below the total of refBelow, the column of refTyped.
	where int
}

// others is how many rows of the other sheet have references.
const others = 20

// model is what there should be.
type model struct {
	top       placements.Anchor // the block's first cell
	source    []*item           // in their order
	typed     []*item           // rows that people typed, and edited ones that the source dropped
	left      []*item           // of the source, since the last refresh
	refs      []*ref
	apart     map[int]string // texts beside the block, by row of the sheet
	last      int            // number that was given last
	renewed   bool           // no row of before the refresh is left: which row was emptied or taken by a new one is not said
	inserted  bool           // a person inserted or edited rows since the last refresh
	deleted   bool           // a person deleted rows since the last refresh
	reordered bool           // records have changed places since the last refresh
	keyed     bool           // the report has a rowKey
	file      bool           // the document is a workbook on disk, which has comments
}

// next returns a number that stands nowhere yet.
func (m *model) next() int {
	m.last++
	return m.last
}

// newItem is a record with values that no other has.
func (m *model) newItem() *item {
	return &item{key: fmt.Sprint("key ", m.next()), numbers: [2]int{m.next(), m.next()}, typed: map[int]string{}, fresh: true}
}

// all lists the items that are to stand in the block.
func (m *model) all() []*item { return slices.Concat(m.source, m.typed) }

// cell is what a column of an item is to show. ok is false where the model does not say.
func (it *item) cell(column int) (text string, ok bool) {
	if column == keyColumn {
		return it.key, true
	}
	if text, ok = it.typed[column]; ok {
		return text, true
	}
	return strconv.Itoa(it.numbers[column-firstNumber]), len(it.typed) == 0
}

// formula is the formula of a reference to a cell, as it is typed. Its id tells it from all others.
func (r *ref) formula(at placements.Anchor) string {
	return fmt.Sprintf("=%s+%d", r.address(at), 1_000_000+r.id)
}

// address is the cell that a reference names, in one of several ways.
func (r *ref) address(at placements.Anchor) string {
	column, row := split(at)
	address := []string{column + row, "$" + column + "$" + row, column + "$" + row}[r.id%3]
	if r.kind == refName {
		address = "$" + column + "$" + row
	}
	if r.kind == refOther || r.kind == refName {
		address = "Data!" + address
	}
	return address
}

func split(at placements.Anchor) (column, row string) {
	name := at.String()
	i := strings.IndexAny(name, "0123456789")
	return name[:i], name[i:]
}

// name is the defined name that a reference is.
func (r *ref) name() string { return fmt.Sprint("mark_", r.id) }

// drop forgets references, for example those whose cells are gone.
func (m *model) drop(gone func(*ref) bool) (dropped []*ref) {
	m.refs = slices.DeleteFunc(m.refs, func(r *ref) bool {
		if gone(r) {
			dropped = append(dropped, r)
			return true
		}
		return false
	})
	return dropped
}

// held is the reference that stands in a column of an item; nil without one.
func (m *model) held(it *item, column int) *ref {
	for _, r := range m.refs {
		if r.holder == it && (r.kind == refNote && column == noteColumn || r.kind == refTyped && column == r.where) {
			return r
		}
	}
	return nil
}

// refreshed lets the model go on to what a refresh is to leave, and returns the texts that the run must keep: what people typed beside
// records that left.
func (m *model) refreshed() (kept []string) {
	for _, it := range m.left {
		if len(it.typed) > 0 {
			it.person = true
			m.typed = append(m.typed, it)
			continue
		}
		if it.note != "" {
			kept = append(kept, it.note)
		}
		for _, r := range m.drop(func(r *ref) bool { return r.holder == it }) {
			kept = append(kept, strconv.Itoa(1_000_000+r.id))
		}
		for _, r := range m.refs {
			if r.target == it {
				r.target = nil
			}
		}
	}
	m.renewed = !slices.ContainsFunc(m.all(), func(it *item) bool { return !it.fresh })
	m.left, m.inserted, m.deleted, m.reordered = nil, false, false, false
	return kept
}
