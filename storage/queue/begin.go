package queue

import (
	"context"
	"fmt"

	"mooring/storage/redis"
)

var beginRunsScript = redis.NewScript(redis.NowLua + Lua("target", "begin", "begin_runs"))

// begunTogether is how many attempts one exchange begins, at most: each loads a report.
const begunTogether = 16

// beginning is an attempt that an agent begins: the id of its entry, the keys of its partition and run, and what beginRunsScript asks for.
type beginning struct{ agent, entry, queue, due, run, reports, member string }

// newBegins returns what begins the attempts together that are begun at one time.
func newBegins(db *connection) *redis.Together[beginning, []any] {
	return &redis.Together[beginning, []any]{Ask: db.begin, Weigh: func(beginning) int { return 1 }, Most: begunTogether}
}

// begin returns what beginRunsScript does for attempts of one partition.
func (q *connection) begin(ctx context.Context, list []beginning) ([][]any, error) {
	keys, argv := []string{list[0].queue, list[0].due}, []any{group}
	for _, b := range list {
		keys, argv = append(keys, b.run), append(argv, b.agent, b.entry, b.reports, b.member)
	}
	reply, err := beginRunsScript.Run(ctx, q.hot, keys, argv...).Slice()
	if err == nil && len(reply) != len(list) {
		err = fmt.Errorf("%d of %d attempts were answered", len(reply), len(list))
	}
	attempts := make([][]any, len(reply))
	for i, one := range reply {
		attempts[i], _ = one.([]any)
	}
	return attempts, err
}
