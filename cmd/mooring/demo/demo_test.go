package demo

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The sums are the totals that the Census Bureau publishes.
func TestDemoDataAddsUp(t *testing.T) {
	rows, err := states()
	if err != nil {
		t.Fatal(err)
	}
	sum := func(column int) (total int) {
		for _, r := range rows {
			n, err := strconv.Atoi(r[column])
			if err != nil {
				t.Error(err)
			}
			total += n
		}
		return total
	}
	if diff := cmp.Diff([]int{51, 308_745_538, 331_449_281}, []int{len(rows), sum(2), sum(3)}); diff != "" {
		t.Errorf("rows, residents of 2010 and 2020 (-want +got):\n%s", diff)
	}
}

func TestBrowserCommand(t *testing.T) {
	for system, want := range map[string]string{
		"linux": "xdg-open [at]", "darwin": "open [at]", "windows": "rundll32 [url.dll,FileProtocolHandler at]",
	} {
		if program, args := browserCommand(system, "at"); fmt.Sprint(program, " ", args) != want {
			t.Errorf("%s: %s %v, want %s", system, program, args, want)
		}
	}
}
