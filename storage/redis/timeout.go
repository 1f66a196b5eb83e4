package redis

import (
	"cmp"
	"fmt"
	"net/url"
	"strconv"
	"time"
)

// timeouts are how long a client waits: for a connection, for an answer, and until the server takes what it is sent.
type timeouts struct{ dial, read, write time.Duration }

// takeTimeouts takes the options that bound waits out of those after the "?" of an address. They are named as the client library names them.
func takeTimeouts(given url.Values) (timeouts, error) {
	var limits timeouts
	for _, option := range []struct {
		name  string
		limit *time.Duration
	}{{"dial_timeout", &limits.dial}, {"read_timeout", &limits.read}, {"write_timeout", &limits.write}} {
		if !given.Has(option.name) {
			continue
		}
		limit, err := parseTimeout(given.Get(option.name))
		if err != nil {
			return timeouts{}, fmt.Errorf("%s: %w", option.name, err)
		}
		*option.limit = limit
		given.Del(option.name)
	}
	limits.dial = cmp.Or(limits.dial, defaultDialTimeout)
	limits.read = cmp.Or(limits.read, defaultReadTimeout)
	limits.write = cmp.Or(limits.write, limits.read)
	return limits, nil
}

// parseTimeout reads a duration such as 500ms, or a number of seconds. What does not end is refused: a server that is silent would hold
// requests forever.
func parseTimeout(text string) (time.Duration, error) {
	limit, err := time.ParseDuration(text)
	if seconds, noUnit := strconv.Atoi(text); noUnit == nil {
		limit, err = time.Duration(seconds)*time.Second, nil
	}
	if err != nil || limit <= 0 {
		return 0, fmt.Errorf("%q is not a time longer than none, such as 10s or 500ms", text)
	}
	return limit, nil
}
