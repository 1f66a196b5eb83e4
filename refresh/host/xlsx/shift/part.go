package shift

// Part returns the function that rewrites parts of a kind, other than sheets and the workbook's own, for cells that move: nil for a kind that
// refers to no cells. kind is what a relationship calls the part, the last word of its type. The function returns doc itself where nothing
// changes; sheet is the one that the part hangs on, empty for a part of the whole workbook.
func (m *Moves) Part(kind string) func(doc []byte, sheet string) ([]byte, error) {
	switch kind {
	case "table":
		return m.table
	case "comments", "threadedComment":
		return m.comments
	case "vmlDrawing":
		return m.legacyDrawing
	case "drawing", "chartUserShapes":
		return m.drawing
	case "chart", "chartEx":
		return m.chart
	case "pivotTable":
		return m.pivotTable
	case "pivotCacheDefinition":
		return m.pivotCache
	case "ctrlProp":
		return m.control
	case "connections":
		return m.connections
	case "tableSingleCells":
		return m.singleCells
	case "namedSheetView":
		return m.sheetView
	}
	return nil
}
