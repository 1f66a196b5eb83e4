package checksum

// Number formats of cells that hold serial day numbers, valid in Excel and Google Sheets alike.
const (
	DateFormat     = "yyyy-mm-dd"
	DateTimeFormat = "yyyy-mm-dd hh:mm:ss"
	TimeFormat     = "hh:mm:ss"
	DurationFormat = "[h]:mm:ss" // hours beyond 24 are not folded into days
)
