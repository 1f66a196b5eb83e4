package web

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/hook"
)

// maxHookBody bounds the body of a request to a hook.
const maxHookBody = 64 << 10

// hookAnswer says what becomes of a delivery.
type hookAnswer struct {
	Runs    []hookRun `json:"runs"`
	Ignored string    `json:"ignored,omitempty"` // why there is no run
}

type hookRun struct {
	RunID string `json:"runId"`
}

// receiveHook runs the schedule of a hook, once for each delivery. The signature of the request says who sends it; one that is not right
// is answered as if there were no such hook. Whatever a delivery says, its sender need not send it again.
func (s *Server) receiveHook(c *gin.Context) error {
	body, err := readUpTo(c, maxHookBody)
	if err != nil {
		return s.countUnsigned(c, err)
	}
	delivery, err := s.rules.Load().Hooks.Verify(c.Param("hookId"), s.now(), c.Request.Header, body)
	if err != nil {
		return s.countUnsigned(c, placements.Errorf(placements.CodeSignature,
			"There is no such hook, or its secret has not signed this request in the last 5 minutes: check the address, the secret "+
				"and the clock of the sender.").Because(err))
	}
	if err := s.takeHook(c, "hook:"+delivery.ID, record.Rate{PerSecond: 10, Burst: 600}); err != nil {
		return err
	}
	answer, err := s.deliver(c, delivery)
	if err != nil {
		return err
	}
	c.JSON(http.StatusAccepted, answer)
	return nil
}

// deliver makes the run that a delivery asks for.
func (s *Server) deliver(c *gin.Context, d hook.Delivery) (hookAnswer, error) {
	answer := hookAnswer{Runs: []hookRun{}}
	var err error
	if answer.Ignored, err = d.Ignored(); answer.Ignored != "" || err != nil {
		return answer, err
	}
	word := record.Arrival{Trigger: record.TriggerHook, ID: d.Name, Keep: hook.Keep}
	arrived, err := s.engine.ArriveByKey(c.Request.Context(), d.Deployment, word, d.Schedule)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		answer.Ignored = "Deployment " + strconv.FormatInt(d.Deployment.ID, 10) + " has no schedule with the key " + d.Schedule + "."
	case err != nil:
		return answer, err
	case arrived.RunID == "":
		answer.Ignored = arrived.Reason
	default:
		answer.Runs = append(answer.Runs, hookRun{arrived.RunID})
	}
	return answer, nil
}

// countUnsigned counts a request that no secret of a hook signed, which is answered with err unless its address sends too many of them. They
// take nothing of what the hook's own sender may send, who may share the address.
func (s *Server) countUnsigned(c *gin.Context, err error) error {
	if limited := s.takeHook(c, "address:"+network(c.ClientIP()), record.Rate{PerSecond: 2, Burst: 120}); limited != nil {
		return limited
	}
	return err
}

// takeHook counts a request against the rate of a bucket, even if its client goes away at once: else that would be the way around the rate.
func (s *Server) takeHook(c *gin.Context, bucket string, rate record.Rate) error {
	wait, err := s.store.Tenants().TakeHook(context.WithoutCancel(c.Request.Context()), bucket, rate)
	if err != nil || wait == 0 {
		return err
	}
	return tooManyDeliveries(wait)
}

func tooManyDeliveries(wait time.Duration) error {
	e := placements.Errorf(placements.CodeRateLimited, "Too many requests come to this hook, or from this address: wait as Retry-After says.")
	e.RetryAfter = wait
	return e
}
