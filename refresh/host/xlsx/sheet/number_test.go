package sheet

import (
	"math"
	"strconv"
	"testing"
)

func TestNumbersAreWrittenAsExcelWritesThem(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 5024279: "5024279", -2.5: "-2.5", 0.1: "0.1", 1e15: "1000000000000000", 1e21: "1E+21", 1e-12: "1E-12",
		math.MaxFloat64: "1.7976931348623157E+308",
	} {
		got := string(appendNumber(nil, v))
		if back, err := strconv.ParseFloat(got, 64); got != want || back != v || err != nil {
			t.Errorf("%v is written %s and read back %v (%v), want %s", v, got, back, err, want)
		}
	}
}
