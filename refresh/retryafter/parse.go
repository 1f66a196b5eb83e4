package retryafter

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Parse returns how long a Retry-After header asks to wait, which is given in seconds or as a date (RFC 9110). It is zero when the
// header is empty, cannot be read, or names a time before now.
func Parse(header string, now time.Time) time.Duration {
	header = strings.TrimSpace(header)
	if seconds, err := strconv.ParseFloat(header, 64); err == nil && seconds > 0 && seconds < 1e6 {
		return time.Duration(seconds * float64(time.Second))
	}
	if at, err := http.ParseTime(header); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}
