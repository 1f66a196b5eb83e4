package xlsx

import "mooring/refresh/host/xlsx/shift"

// follow rewrites every part, other than sheets and the workbook's own, that refers to cells that move: the parts that sheets refer to, what
// those refer to in turn, and the workbook's. It puts those that change into the new file. What cannot be moved is a *shift.Torn.
func (w *writer) follow(m *shift.Moves) error {
	return nil
}

// moved returns the workbook with its defined names, our markers among them, as they are once cells have moved.
func (wb *workbook) moved(m *shift.Moves) (*workbook, error) {
	return wb, nil
}
