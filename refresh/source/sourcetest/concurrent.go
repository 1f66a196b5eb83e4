package sourcetest

import (
	"context"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
)

// concurrent proves that queries at one time do not mix up, and that each returns the rows of s.Rows in their order.
func (s Subject) concurrent(t *testing.T) {
	src := s.open(t, nil)
	var running sync.WaitGroup
	for i := range 16 {
		rows := 50 + i
		running.Go(func() {
			var b checksum.Builder
			if _, err := src.Query(context.Background(), s.Rows(rows), &b); err != nil {
				t.Errorf("%d rows: %v", rows, err)
				return
			}
			if diff := cmp.Diff(ascending(rows), firstColumn(b.Grid())); diff != "" {
				t.Errorf("%d rows (-want +got):\n%s", rows, diff)
			}
		})
	}
	running.Wait()
}

func ascending(n int) []float64 {
	numbers := make([]float64, n)
	for i := range numbers {
		numbers[i] = float64(i + 1)
	}
	return numbers
}

// firstColumn is the numbers below the header.
func firstColumn(grid *checksum.Grid) []float64 {
	var numbers []float64
	for i := 1; i < grid.Rows(); i++ {
		numbers = append(numbers, grid.Cells(i, nil)[0].Number)
	}
	return numbers
}
