package source

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// period is a span of time as databases keep it: a month and a day have no fixed length.
type period struct {
	months, days int32
	rest         time.Duration
}

// parsePeriod reads the form of ISO 8601 with a sign to each number, such as P1Y-2M3DT-4H5M6.5S.
func parsePeriod(s string) (period, bool) {
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
		p.months += 12 * int32(n)
	case 'M':
		p.months += int32(n)
	case 'W':
		p.days += 7 * int32(n)
	default:
		p.days += int32(n)
	}
}

func (p *period) addTime(n float64, unit byte) {
	switch unit {
	case 'H':
		p.rest += time.Duration(n) * time.Hour
	case 'M':
		p.rest += time.Duration(n) * time.Minute
	default:
		p.rest += time.Duration(math.Round(n*1e6)) * time.Microsecond
	}
}
