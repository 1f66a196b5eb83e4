//go:build unix

package histories

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"time"
)

// The statuses that models know.
const (
	statusOK         = http.StatusOK
	statusAccepted   = http.StatusAccepted
	statusBadRequest = http.StatusBadRequest
	statusNotFound   = http.StatusNotFound
	statusConflict   = http.StatusConflict

	statusUnprocessable = http.StatusUnprocessableEntity
)

// answerWithin is how long a client waits for an answer before it takes it for lost.
const answerWithin = 10 * time.Second

const deployment = "/api/v1/deployments/1"

// client sends one request after the other, each to some server.
type client struct {
	rig    *rig
	number int // differs after every request without an answer, as that one goes on
	rand   *rand.Rand
	http   *http.Client
	began  time.Time
	tally  *tally
	faults *faults

	refusedFor string // the run because of which the last request was refused; empty for another reason
}

// tally counts what was sent, of all clients.
type tally struct{ sent, lost, refused atomic.Int64 }

// answer is what came back.
type answer struct {
	status int
	effect string
	code   string
	body   map[string]any
}

// is is a member of the answer as text; empty for one that is missing.
func (a *answer) is(member string) string {
	if v, ok := a.body[member]; ok && v != nil {
		return text(v)
	}
	return ""
}

func text(v any) string {
	if n, ok := v.(json.Number); ok {
		return n.String()
	}
	return fmt.Sprint(v)
}

// ask sends a request and completes the entry with its times. It returns nil when there is no answer that says what was done; noted then
// reports whether the request may have done something, so that it belongs in the history.
func (c *client) ask(e *entry, method, path string, body any, headers ...string) (a *answer, noted bool) {
	c.refusedFor = ""
	c.faults.before(c.tally.sent.Add(1))
	e.Client, e.Call = c.number, int64(time.Since(c.began))
	a, err := c.send(method, path, body, headers...)
	e.Return = int64(time.Since(c.began))
	switch {
	case err == nil && isPassing(a):
		c.tally.refused.Add(1)
		c.refusedFor = runOf(a)
		e.Refused = a.code
		return nil, true
	case err == nil && a.status < http.StatusInternalServerError:
		e.Status, e.Effect = a.status, a.effect
		return a, true
	}
	c.tally.lost.Add(1)
	c.number += clients
	e.Return = unanswered
	return nil, method != http.MethodGet
}

// runOf is the run that a refusal names.
func runOf(a *answer) string {
	details, _ := a.body["details"].([]any)
	if len(details) == 0 {
		return ""
	}
	detail, _ := details[0].(map[string]any)
	run, _ := detail["runId"].(string)
	return run
}

// isPassing reports whether an answer says that nothing was done, and that the request may be sent again.
func isPassing(a *answer) bool {
	retryable, _ := a.body["retryable"].(bool)
	return retryable && (a.status == statusConflict || a.code == "unavailable") // others write the same, for long
}

// waitingForOne is how many clients may wait for one server that is down; the others go on.
const waitingForOne = 2

// choose returns some server, mostly one that can answer.
func (c *client) choose() *server {
	for {
		s := c.rig.servers[c.rand.IntN(servers)]
		if !s.isDown() || s.waiting.Load() < waitingForOne && c.rand.IntN(10) == 0 {
			return s
		}
	}
}

// send sends a request to some server.
func (c *client) send(method, path string, body any, headers ...string) (*answer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), answerWithin)
	defer cancel()
	s := c.choose()
	s.waiting.Add(1)
	defer s.waiting.Add(-1)
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://"+s.front.address+path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	req.GetBody = nil // else the transport may send it twice
	req.Header.Set("Authorization", "Bearer "+c.rig.token)
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	all, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	a := &answer{status: resp.StatusCode, effect: resp.Header.Get("X-Mooring-Result")}
	numbers := json.NewDecoder(bytes.NewReader(all))
	numbers.UseNumber()
	if err := numbers.Decode(&a.body); err != nil {
		return nil, err
	}
	a.code = a.is("code")
	return a, nil
}
