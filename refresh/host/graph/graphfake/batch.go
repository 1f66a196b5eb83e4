package graphfake

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// The service's limits of a batch.
const (
	maxBatch = 20
	maxBody  = 4 << 20
)

func readBody(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err == nil && len(body) > maxBody {
		err = &apiError{http.StatusRequestEntityTooLarge, "payloadTooLargeUncategorized", "The request is too large."}
	}
	return body, err
}

// step is a request within a batch.
type step struct {
	ID        string            `json:"id"`
	Method    string            `json:"method"`
	URL       string            `json:"url"`
	Headers   map[string]string `json:"headers"`
	Body      json.RawMessage   `json:"body"`
	DependsOn []string          `json:"dependsOn"`
}

type reply struct {
	ID      string            `json:"id"`
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    any               `json:"body,omitempty"`
}

// batch runs the requests of a batch; one whose predecessor failed is not run.
func (s *Server) batch(body []byte) (any, error) {
	var b struct {
		Requests []step `json:"requests"`
	}
	if err := decodeStrict(body, &b); err != nil {
		return nil, err
	}
	if len(b.Requests) == 0 || len(b.Requests) > maxBatch {
		return nil, invalid("Number of batch request steps exceeds the maximum value of %d.", maxBatch)
	}
	status := map[string]int{}
	var replies []reply
	for _, one := range b.Requests {
		if _, twice := status[one.ID]; twice || one.ID == "" {
			return nil, invalid("Invalid batch payload: the id %q is empty or not unique.", one.ID)
		}
		r, err := s.step(one, status)
		if err != nil {
			return nil, err
		}
		status[one.ID] = r.Status
		replies = append(replies, r)
	}
	slices.Reverse(replies) // the order is the service's own
	return map[string]any{"responses": replies}, nil
}

func (s *Server) step(one step, done map[string]int) (reply, error) {
	for _, id := range one.DependsOn {
		status, ok := done[id]
		if !ok {
			return reply{}, invalid("Invalid batch payload: %q depends on %q, which does not come before it.", one.ID, id)
		}
		if status >= 400 {
			return reply{ID: one.ID, Status: http.StatusFailedDependency}, nil
		}
	}
	at, err := url.Parse(strings.ReplaceAll(one.URL, "+", "%20")) // batches read a + as a space, in paths too
	if err != nil || at.IsAbs() || one.Body != nil && one.Headers["Content-Type"] != "application/json" {
		return reply{}, invalid("Invalid batch payload: the URL is not relative, or a body has no content type.")
	}
	x := exchange{base: s.URL, method: one.Method, path: at.EscapedPath(), query: at.Query(), header: http.Header{}, body: one.Body}
	for name, value := range one.Headers {
		x.header.Set(name, value)
	}
	last := &s.requests[len(s.requests)-1]
	last.Steps = append(last.Steps, one.Method+" "+one.URL)
	r := reply{ID: one.ID}
	if s.stepTrouble.next() {
		t := s.stepTrouble
		r.Status, r.Body = errorBody(&apiError{t.status, t.code, "told to fail"})
		r.Headers = map[string]string{"Retry-After": t.retryAfter}
		return r, nil
	}
	if r.Status, r.Body, err = s.route(x); err != nil {
		r.Status, r.Body = errorBody(err)
	}
	return r, nil
}
