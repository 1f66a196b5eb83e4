package placements

// CheckSheet is tested by what it lets through.
var CheckSheet = checkSheet
