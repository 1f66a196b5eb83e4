package web

import (
	"errors"
	"hash/fnv"
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

// hookBuckets is how many buckets the requests to all hooks share.
const hookBuckets = 1024

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
	id := c.Param("hookId")
	if err := s.limitHook(c, id); err != nil {
		return err
	}
	body, err := readUpTo(c, maxHookBody)
	if err != nil {
		return err
	}
	delivery, err := s.rules.Load().Hooks.Verify(id, s.now(), c.Request.Header, body)
	if err != nil {
		return placements.Errorf(placements.CodeSignature,
			"There is no such hook, or its secret has not signed this request in the last 5 minutes: check the address, the secret "+
				"and the clock of the sender.").Because(err)
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

// limitHook counts a request to the hook of that id, known or not: all ids share the same buckets, so that the rate does not tell which
// ids there are, and those that are made up take no memory. An address may send less than a hook may take: one sender leaves room for
// others.
func (s *Server) limitHook(c *gin.Context, id string) error {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(id))
	for _, one := range []struct {
		bucket string
		rate   record.Rate
	}{
		{"address:" + network(c.ClientIP()), record.Rate{PerSecond: 2, Burst: 120}},
		{"hook:" + strconv.FormatUint(uint64(sum.Sum32()%hookBuckets), 10), record.Rate{PerSecond: 10, Burst: 600}},
	} {
		wait, err := s.store.TakeHook(c.Request.Context(), one.bucket, one.rate)
		if err != nil {
			return err
		}
		if wait > 0 {
			return tooManyDeliveries(wait)
		}
	}
	return nil
}

func tooManyDeliveries(wait time.Duration) error {
	e := placements.Errorf(placements.CodeRateLimited, "Too many requests come to this hook, or from this address: wait as Retry-After says.")
	e.RetryAfter = wait
	return e
}
