package cube

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"mooring/placements"
	"mooring/refresh/retryafter"
	"mooring/refresh/source"
	"mooring/refresh/trace"
)

const (
	// loadTimeout bounds one request to /v1/load, which answers a query that is still running with "Continue wait" after at most 90 s.
	// /v1/cubesql does not always do so (cube#10387): only the statement timeout bounds it.
	loadTimeout = 2 * time.Minute
	// maxErrorBody is how much of an error's body is read.
	maxErrorBody = 64 << 10

	continueWait = "Continue wait"
)

var errContinueWait = errors.New("cube: the query is still running")

// span numbers the requests that belong to one query: Cube knows them by <uuid>-span-<n>.
type span struct {
	id string
	n  int
}

func newSpan() *span {
	var id [16]byte
	_, _ = rand.Read(id[:])                         // never fails
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80 // a random UUID
	return &span{id: fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])}
}

func (s *span) next() string {
	s.n++
	return s.id + "-span-" + strconv.Itoa(s.n)
}

// ask posts body to path and hands the answer to read, and does so again at once whenever read says that the query is still
// running: it is the server that waits.
func (c *layer) ask(ctx context.Context, path string, body []byte, read func(io.Reader) error) error {
	requests := newSpan()
	for {
		err := c.attempt(ctx, path, requests.next(), body, read)
		if !errors.Is(err, errContinueWait) {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

func (c *layer) attempt(ctx context.Context, path, requestID string, body []byte, read func(io.Reader) error) error {
	if path == "/v1/load" {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.loadTimeout)
		defer cancel()
	}
	answer, err := c.send(ctx, http.MethodPost, path, requestID, body)
	if err != nil {
		return err
	}
	defer answer.Close()
	return read(answer)
}

// send makes one request and returns the body of its answer if that is 200.
func (c *layer) send(ctx context.Context, method, path, requestID string, body []byte) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("X-Request-Id", requestID)
	trace.Send(ctx, request.Header)
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.config.Token != "" {
		request.Header.Set("Authorization", string(c.config.Token))
	}
	response, err := c.client.Do(request)
	if err != nil {
		return nil, source.Fault(placements.Transient, err, "Cube cannot be reached or hung up; try again")
	}
	if response.StatusCode == http.StatusOK {
		return response.Body, nil
	}
	defer response.Body.Close()
	return nil, c.classify(response)
}

// classify reads what Cube, or a proxy before it, says is wrong.
func (c *layer) classify(response *http.Response) error {
	status := response.StatusCode
	body, _ := io.ReadAll(io.LimitReader(response.Body, maxErrorBody)) // what there is of it
	cause := fmt.Errorf("cube: %s: %s", response.Status, body)
	var e struct {
		Error string `json:"error"`
	}
	isJSON := json.Unmarshal(body, &e) == nil && e.Error != ""
	switch {
	case isJSON && strings.Contains(e.Error, limitExceeded):
		return c.beyondLimit(cause)
	case isJSON && status == http.StatusInternalServerError:
		return source.Fault(placements.Transient, cause, "Cube could not answer: %s; try again",
			source.Said(fmt.Sprintf("an error of status %d", status), e.Error))
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return source.Fault(placements.Auth, cause, "Cube refuses the token; correct the source's token")
	case status == http.StatusTooManyRequests:
		f := source.Fault(placements.Quota, cause, "Cube asks to wait; try again later")
		f.RetryAfter = retryAfter(response.Header)
		return f
	case status >= http.StatusInternalServerError:
		f := source.Fault(placements.Transient, cause, "Cube could not answer (status %d); try again", status)
		f.RetryAfter = retryAfter(response.Header)
		return f
	case status == http.StatusNotFound, status < http.StatusBadRequest:
		return source.Structure(cause, "there is no Cube REST API at the source's url; it ends in /cubejs-api as a rule")
	}
	if !isJSON {
		return source.Fault(placements.Permanent, cause, "Cube refuses the query (status %d); the log says why", status)
	}
	return c.refused(cause, e.Error)
}

// refused is the fault of a query that does not run.
func (c *layer) refused(cause error, message string) error {
	if strings.Contains(message, limitExceeded) {
		return c.beyondLimit(cause)
	}
	return source.Structure(cause, "the query does not run: %s", source.Said("an error", message))
}

// retryAfter returns how long the server asks to wait. A date counts from the server's own clock.
func retryAfter(h http.Header) time.Duration {
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return retryafter.Parse(h.Get("Retry-After"), now)
}

// decode reads an answer of one JSON value.
func decode(body io.Reader, into any) error {
	if err := json.NewDecoder(io.LimitReader(body, source.MaxDriverBytes)).Decode(into); err != nil {
		return unreadable(err)
	}
	return nil
}

// unreadable returns the fault of an answer that cannot be read: it broke off, or never was Cube's.
func unreadable(err error) error {
	if _, ok := errors.AsType[*placements.Fault](err); ok {
		return err
	}
	var syntax *json.SyntaxError
	var mistyped *json.UnmarshalTypeError
	if errors.As(err, &syntax) || errors.As(err, &mistyped) {
		return unexpected(err)
	}
	return brokeOff(err)
}

func brokeOff(cause error) error {
	return source.Fault(placements.Transient, cause, "Cube's answer broke off; try again")
}

func unexpected(cause error) error {
	return source.Fault(placements.Permanent, cause,
		"Cube's answer is not of the form expected; the source's url may be that of another service")
}
