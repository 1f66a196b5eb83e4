package graph

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"mooring/refresh/host/rest"
	"mooring/refresh/retryafter"
)

// request is one request of a batch (Microsoft Graph, JSON batching). URL is relative to the API's address.
type request struct {
	ID        string            `json:"id"`
	Method    string            `json:"method"`
	URL       string            `json:"url"`
	Headers   map[string]string `json:"headers,omitempty"`
	Body      json.RawMessage   `json:"body,omitempty"`
	DependsOn []string          `json:"dependsOn,omitempty"`
}

// reply is the answer to one of them.
type reply struct {
	ID      string            `json:"id"`
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Body    json.RawMessage   `json:"body"`
}

// The service takes 20 requests a batch, and 4 MB; half of that leaves room for the answer.
const (
	batchRequests = 20
	batchBytes    = 2_000_000
)

// newGet is a request that reads.
func newGet(path string) request { return request{Method: http.MethodGet, URL: path} }

// sendBody is a request with a JSON body; nil sends none.
func sendBody(method, path string, body []byte) request {
	r := request{Method: method, URL: path, Body: body}
	if body != nil {
		r.Headers = map[string]string{"Content-Type": "application/json"}
	}
	return r
}

// batch sends requests in one go. Each waits for the one before it: the service would else choose the order, and run them
// beside each other, which a workbook takes badly. The replies come in the order of the requests.
func (g *Workbooks) batch(ctx context.Context, requests []request) ([]reply, error) {
	for i := range requests {
		requests[i].ID = strconv.Itoa(i + 1)
		if i > 0 {
			requests[i].DependsOn = []string{requests[i-1].ID} // #nosec G602 -- i is at least 1
		}
	}
	return g.sendBatch(ctx, requests)
}

// together is batch for requests that are answered each by itself, in any order.
func (g *Workbooks) together(ctx context.Context, requests []request) ([]reply, error) {
	for i := range requests {
		requests[i].ID = strconv.Itoa(i + 1)
	}
	return g.sendBatch(ctx, requests)
}

func (g *Workbooks) sendBatch(ctx context.Context, requests []request) ([]reply, error) {
	body, err := batchBody(requests)
	if err != nil {
		return nil, err
	}
	answer, err := g.rest.Do(ctx, rest.Call{Method: http.MethodPost, Path: "/$batch", Body: body})
	if err != nil {
		return nil, err
	}
	defer answer.Close()
	var replies struct {
		Responses []reply `json:"responses"`
	}
	if err := json.NewDecoder(answer).Decode(&replies); err != nil {
		return nil, err
	}
	return inOrder(requests, replies.Responses)
}

// batchBody puts the requests together without encoding their bodies again, which are JSON already.
func batchBody(requests []request) ([]byte, error) {
	var body bytes.Buffer
	body.WriteString(`{"requests":[`)
	for i, r := range requests {
		if i > 0 {
			body.WriteByte(',')
		}
		content := r.Body
		r.Body = nil
		head, err := json.Marshal(r)
		if err != nil {
			return nil, err
		}
		if content == nil {
			body.Write(head)
			continue
		}
		body.Write(head[:len(head)-1])
		body.WriteString(`,"body":`)
		body.Write(content)
		body.WriteByte('}')
	}
	body.WriteString("]}")
	return body.Bytes(), nil
}

// inOrder finds the reply to each request; the service answers in any order.
func inOrder(requests []request, replies []reply) ([]reply, error) {
	byID := map[string]reply{}
	for _, r := range replies {
		byID[r.ID] = r
	}
	ordered := make([]reply, len(requests))
	for i, r := range requests {
		reply, ok := byID[r.ID]
		if !ok {
			return nil, fmt.Errorf("batch: request %s of %d was not answered", r.ID, len(requests))
		}
		ordered[i] = reply
	}
	return ordered, nil
}

// refused returns a reply's *refusal; nil when it is a success.
func (g *Workbooks) refused(r reply) error {
	if r.Status/100 == 2 {
		return nil
	}
	refused := &rest.Refusal{Status: r.Status, Body: r.Body[:min(len(r.Body), rest.MaxRefusal)]}
	for name, value := range r.Headers {
		if http.CanonicalHeaderKey(name) == "Retry-After" {
			refused.RetryAfter = retryafter.Parse(value, g.rest.Now())
		}
	}
	return refused
}

// decode reads a reply's body, or returns its *refusal.
func (g *Workbooks) decode(reply reply, into any) error {
	if err := g.refused(reply); err != nil {
		return err
	}
	return json.Unmarshal(reply.Body, into)
}
