package hooks

import (
	"context"
	"errors"
	"strconv"
	"time"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/hook"
	"mooring/web/request"
)

// maxBody bounds the body of a request to a hook.
const maxBody = 64 << 10

// outcome says what becomes of a delivery.
type outcome struct {
	Runs    []startedRun `json:"runs"`
	Ignored string       `json:"ignored,omitempty"` // why there is no run
}

type startedRun struct {
	RunID string `json:"runId"`
}

// receive runs the schedule of a hook, once for each delivery. The signature of the request says who sends it; one that is not right
// is answered as if there were no such hook. Whatever a delivery says, its sender need not send it again.
func (a *API) receive(ctx context.Context, c *request.Call) (any, error) {
	body, err := c.RawUpTo(maxBody)
	if err != nil {
		return nil, a.countUnsigned(ctx, c, err)
	}
	delivery, err := a.Gate.Hooks().Verify(c.Param("hookId"), a.Now(), c.Request.Header, body)
	if err != nil {
		return nil, a.countUnsigned(ctx, c, placements.Errorf(placements.CodeSignature,
			"There is no such hook, or its secret has not signed this request in the last 5 minutes: check the address, the secret "+
				"and the clock of the sender.").Because(err))
	}
	if err := a.take(ctx, "hook:"+delivery.ID, record.Rate{PerSecond: 10, Burst: 600}); err != nil {
		return nil, err
	}
	answer, err := a.deliver(ctx, delivery)
	if err != nil {
		return nil, err
	}
	return request.Accepted{Value: answer}, nil
}

// deliver makes the run that a delivery asks for.
func (a *API) deliver(ctx context.Context, d hook.Delivery) (outcome, error) {
	answer := outcome{Runs: []startedRun{}}
	var err error
	if answer.Ignored, err = d.Ignored(); answer.Ignored != "" || err != nil {
		return answer, err
	}
	word := record.Arrival{Trigger: record.TriggerHook, ID: d.Name, Keep: hook.Keep}
	arrived, err := a.Engine.Schedules().ArriveByKey(ctx, d.Deployment, word, d.Schedule)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		answer.Ignored = "Deployment " + strconv.FormatInt(d.Deployment.ID, 10) + " has no schedule with the key " + d.Schedule + "."
	case err != nil:
		return answer, err
	case arrived.RunID == "":
		answer.Ignored = arrived.Reason
	default:
		answer.Runs = append(answer.Runs, startedRun{arrived.RunID})
	}
	return answer, nil
}

// countUnsigned counts a request that no secret of a hook signed, which is answered with err unless its address sends too many of them. They
// take nothing of what the hook's own sender may send, who may share the address.
func (a *API) countUnsigned(ctx context.Context, c *request.Call, err error) error {
	if limited := a.take(ctx, "address:"+request.Network(c), record.Rate{PerSecond: 2, Burst: 120}); limited != nil {
		return limited
	}
	return err
}

// take counts a request against the rate of a bucket, even if its client goes away at once: else that would be the way around the rate.
func (a *API) take(ctx context.Context, bucket string, rate record.Rate) error {
	wait, err := a.Store.Tenants().TakeHook(context.WithoutCancel(ctx), bucket, rate)
	if err != nil || wait == 0 {
		return err
	}
	return tooMany(wait)
}

func tooMany(wait time.Duration) error {
	e := placements.Errorf(placements.CodeRateLimited, "Too many requests come to this hook, or from this address: wait as Retry-After says.")
	e.RetryAfter = wait
	return e
}
