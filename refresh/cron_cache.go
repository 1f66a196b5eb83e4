package refresh

import (
	"strings"
	"sync"

	"mooring/refresh/cron"
)

// cronCache caches parsed expressions: reading a time zone takes longer than all else about a tick.
type cronCache struct {
	mu     sync.Mutex
	parsed map[string]cron.Schedule
}

func (c *cronCache) parse(specs []string, zone string) (cron.Schedule, error) {
	key := zone + "\n" + strings.Join(specs, "\n")
	c.mu.Lock()
	cached, ok := c.parsed[key]
	c.mu.Unlock()
	if ok {
		return cached, nil
	}
	times, err := cron.Parse(specs, zone)
	if err != nil {
		return cron.Schedule{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.parsed == nil || len(c.parsed) >= maxCrons {
		c.parsed = map[string]cron.Schedule{}
	}
	c.parsed[key] = times
	return times, nil
}

// maxCrons bounds the cache of parsed expressions.
const maxCrons = 4096
