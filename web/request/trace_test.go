package request

import (
	"strings"
	"testing"

	"mooring/placements"
)

// What a query, or a block, is refused for may name what is in it.
func TestWhatIsLoggedOfARefusedQuery(t *testing.T) {
	for class, want := range map[placements.Class]string{
		placements.Structure: "query_failed", placements.Conflict: "query_failed", placements.Auth: "of 4711",
	} {
		got := logged(placements.Errorf(placements.CodeQueryFailed, "of 4711").Because(&placements.Fault{Class: class, Message: "of 4711"}))
		if !strings.Contains(got, want) || want != "of 4711" && strings.Contains(got, "4711") {
			t.Errorf("%s: logged %q, want %q", class, got, want)
		}
	}
}
