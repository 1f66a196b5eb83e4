package catalog

import (
	"strconv"
	"strings"

	"mooring/refresh/source"
)

// Place is where a dataset stands in a Inventory: its index and its name.
type Place string

func placeOf(index int, d *source.Dataset) Place { return Place(strconv.Itoa(index) + " " + d.Name) }

// IsPlace reports whether a text can be a Place.
func IsPlace(text string) bool {
	digits, _, two := strings.Cut(text, " ")
	n, err := strconv.Atoi(digits)
	return two && err == nil && n >= 0 && strconv.Itoa(n) == digits
}

func (p Place) parts() (index int, name string) {
	digits, name, _ := strings.Cut(string(p), " ")
	index, _ = strconv.Atoi(digits) // IsPlace
	return index, name
}
