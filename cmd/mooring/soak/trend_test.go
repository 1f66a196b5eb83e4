//go:build linux

package soak

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// series are the values of one figure, one a minute.
type series struct {
	name   string
	unit   string
	least  float64 // growth of that much is within tolerance, however small the values
	values []float64
}

// tolerance is the part of a value by which it may grow between the two halves, and over the whole time by its trend.
const tolerance = 0.05

// verdict compares the halves of a series and follows its trend. The median of the second half may not lie above that of the first by more than
// the tolerance, nor may the trend, which is the median of the slopes between all pairs of values, lead higher than that from the first value to
// the last. A single outlier changes neither.
func (s series) verdict() (text string, flat bool) {
	half := len(s.values) / 2
	first, second := median(s.values[:half]), median(s.values[half:])
	growth, allowed := s.slope()*float64(len(s.values)-1), max(s.least, tolerance*first)
	flat = second-first <= allowed && growth <= allowed
	word := "flat"
	if !flat {
		word = "GROWS"
	}
	return fmt.Sprintf("%-18s %8.1f in the first half, %8.1f in the second, trend %+6.2f %s over all, allowed %+.2f: %s",
		s.name, first, second, growth, s.unit, allowed, word), flat
}

// slope is the median of the slopes between all pairs of values.
func (s series) slope() float64 {
	var slopes []float64
	for i, from := range s.values {
		for j := i + 1; j < len(s.values); j++ {
			slopes = append(slopes, (s.values[j]-from)/float64(j-i))
		}
	}
	return median(slopes)
}

// median is the middle one of values, which must be some.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

func TestVerdict(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	values := func(of func(minute float64) float64) (list []float64) {
		for i := range 100 {
			list = append(list, of(float64(i))+rnd.Float64()-0.5)
		}
		return list
	}
	for name, tt := range map[string]struct {
		values []float64
		flat   bool
	}{
		"noise":                     {values(func(float64) float64 { return 20 }), true},
		"a leak of 6 % in all":      {values(func(m float64) float64 { return 100 + 0.06*m }), false},
		"a leak of 3 % in all":      {values(func(m float64) float64 { return 100 + 0.03*m }), true},
		"a step late":               {values(func(m float64) float64 { return 100 + float64(int(m)/60)*8 }), false},
		"less and less":             {values(func(m float64) float64 { return 100 - 0.5*m }), true},
		"a spike in one of ten":     {values(func(m float64) float64 { return 100 + 50*float64(max(0, int(m)%10-8)) }), true},
		"small, and least is more":  {values(func(m float64) float64 { return 5 + 0.006*m }), true},
		"small, and it grows twice": {values(func(m float64) float64 { return 5 + 0.05*m }), false},
	} {
		t.Run(name, func(t *testing.T) {
			text, flat := series{name: name, least: 1, values: tt.values}.verdict()
			if flat != tt.flat {
				t.Errorf("%s; want flat %t", text, tt.flat)
			}
		})
	}
}
