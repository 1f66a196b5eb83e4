package document_test

import (
	"fmt"

	"mooring/refresh/document"
)

// An add-in says which hidden rows it has shown, so that what moved there is in sight.
func Example() {
	for _, note := range (document.Uncovered{Shown: []int64{4, 5, 9}}).Notes() {
		fmt.Println(note)
	}
	// Output:
	// rows 4–5, 9 are shown now: hidden before, what moved there would have vanished
}
