package refresh

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"mooring/placements"
	"mooring/storage/record"
)

// Four trials of a person go on at one time, and as many on a source as half of its connections; another one waits ten seconds.
func TestTrialsWaitForTheirTurn(t *testing.T) {
	e := &Engine{tenants: tenants{"acme": {Deployments: map[int64]DeploymentSource{1: {Queries: 100}, 2: {}, 3: {Queries: 1}}}}}
	at := func(id int64) record.Deployment { return record.Deployment{Tenant: "acme", ID: id} }
	for fact, row := range map[string]struct {
		d      record.Deployment
		person func(n int) string
		most   int
	}{
		"of one person":                        {at(1), func(int) string { return "ana" }, 4},
		"of a source with four connections":    {at(2), func(n int) string { return string(rune('a' + n)) }, 2},
		"of a source that has only one":        {at(3), func(n int) string { return string(rune('a' + n)) }, 1},
		"of many people on a source with many": {at(1), func(n int) string { return string(rune('a' + n)) }, 50},
	} {
		synctest.Test(t, func(t *testing.T) {
			var ends []func()
			for n := range row.most {
				end, err := e.turn(t.Context(), row.d, row.person(n))
				if err != nil {
					t.Fatalf("%s: turn %d: %v", fact, n+1, err)
				}
				ends = append(ends, end)
			}
			began := time.Now()
			_, err := e.turn(t.Context(), row.d, row.person(row.most))
			refused, ok := errors.AsType[*placements.Error](err)
			if !ok || refused.Code != placements.CodePreviewBusy || refused.RetryAfter == 0 || time.Since(began) != 10*time.Second {
				t.Errorf("%s: %v after %s", fact, err, time.Since(began))
			}
			time.AfterFunc(time.Second, ends[0])
			end, err := e.turn(t.Context(), row.d, row.person(row.most))
			if err != nil {
				t.Fatalf("%s: a turn that another one has left: %v", fact, err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := e.turn(ctx, row.d, row.person(row.most)); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: one who hangs up: %v", fact, err)
			}
			for _, one := range append(ends[1:], end) {
				one()
			}
		})
	}
	if len(e.trials.people.all)+len(e.trials.sources.all) > 0 {
		t.Errorf("turns are left over: %v, %v", e.trials.people.all, e.trials.sources.all)
	}
}
