package checksum

// Merged is what three tables say of each other (decisions.md §7a): base, written last; theirs, standing in the sheet now; ours, the new
// one.
type Merged struct {
	// Kept is ours with the rows and cells of a person in it.
	Kept *Grid
	// People are the rows of Kept that hold cells which are not the source's, ascending.
	People []PersonRow
	// Edited are the rows of theirs that a person changed, inserted or emptied, ascending.
	Edited []int
	// Strange are, if base was restored from a backup, the rows of Edited and of Lost that are filled and that neither base nor ours has,
	// ascending: a write since the backup may have left them.
	Strange []int
	// Deleted are the rows of ours that a person had deleted and that come back, ascending.
	Deleted []int
	// Moved is the fewest rows of theirs that must be moved to put all in order.
	Moved int
	// Lost are cells that a person typed and that Kept does not hold.
	Lost []LostCell

	merge        *merge // that it came of
	stands, ours BlockRows
	stood        BlockRows // see Theirs.Stood; else stands
	kept         []uint64  // fingerprints of Kept
	pick         []int32   // by row of theirs: the row of ours that it stands for, none without one
	inserted     []int     // rows of Kept that a person inserted, ascending
}

// PersonRow is a row of Kept that holds cells which are not the source's.
type PersonRow struct {
	Row     int        // of Kept
	Theirs  int        // where it stands
	Ours    int        // the row of ours that it continues, -1 for one that the person inserted
	Base    int        // the row of the Baseline that it continues, -1 when that is not known
	Columns []int      // of Kept, that are not the source's, ascending
	Before  *EditedRow // of the Baseline, if it held cells of a person then already
}

// LostCell is a cell of theirs that Kept does not hold.
type LostCell struct {
	Row, Column int
	Returned    bool // it was given back to the source; else its column is not in ours any more
	Known       bool // it is known to be a person's
}
