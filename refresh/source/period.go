package source

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// period is a span of time as databases keep it: a month and a day have no fixed length.
type period struct {
	Months, Days int32
	Rest         time.Duration
}

// ParsePeriod reads the form of ISO 8601 with a sign to each number, such as P1Y-2M3DT-4H5M6.5S.
func ParsePeriod(s string) (period, bool) {
	s, ok := strings.CutPrefix(s, "P")
	if !ok || s == "" {
		return period{}, false
	}
	dates, times, _ := strings.Cut(s, "T")
	var p period
	return p, p.add(dates, "YMWD", p.addDate) && p.add(times, "HMS", p.addTime)
}

// add hands each number of s and its unit, one of units, to f.
func (p *period) add(s, units string, f func(n float64, unit byte)) bool {
	for s != "" {
		end := strings.IndexAny(s, units)
		if end < 0 {
			return false
		}
		n, err := strconv.ParseFloat(s[:end], 64)
		if err != nil || n != n || math.Abs(n) > math.MaxInt32 {
			return false
		}
		f(n, s[end])
		s = s[end+1:]
	}
	return true
}

func (p *period) addDate(n float64, unit byte) {
	switch unit {
	case 'Y':
		p.Months += 12 * int32(n)
	case 'M':
		p.Months += int32(n)
	case 'W':
		p.Days += 7 * int32(n)
	default:
		p.Days += int32(n)
	}
}

func (p *period) addTime(n float64, unit byte) {
	switch unit {
	case 'H':
		p.Rest += time.Duration(n) * time.Hour
	case 'M':
		p.Rest += time.Duration(n) * time.Minute
	default:
		p.Rest += time.Duration(math.Round(n*1e6)) * time.Microsecond
	}
}
