package host

import (
	"context"

	"mooring/checksum"
	"mooring/placements"
)

// Referrer is a Driver that can tell which formulas of a document refer to a block.
type Referrer interface {
	// References returns, for each of columns, which count from the block's first, the first MaxReferences cells of the document whose
	// formulas refer to a cell of that column: sheet by sheet, each in the order of its rows. Formulas count that name the cells, a
	// range that holds one, a table's column, or a name of such; not those that refer to such formulas in turn. The block is found as
	// Session.Read finds it. extent is its size where no marker tells it. Others may have the document open meanwhile.
	References(ctx context.Context, b Block, extent checksum.Extent, columns []int) ([][]placements.Location, error)
}

// MaxReferences is how many cells a Referrer returns for a column.
const MaxReferences = 100
