package placements

// FitsAnyHost reports whether every host could have a sheet of that name, so that an address is valid whichever host it turns out to be on.
func (a Address) FitsAnyHost() bool {
	return checkSheetOf(SheetsA, a.Sheet) == "" && checkSheetOf(SheetsB, a.Sheet) == ""
}
