package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
)

// graphRequest is one request of a batch (Microsoft Graph, JSON batching). URL is relative to the API's address.
type graphRequest struct {
	ID        string            `json:"id"`
	Method    string            `json:"method"`
	URL       string            `json:"url"`
	Headers   map[string]string `json:"headers,omitempty"`
	Body      json.RawMessage   `json:"body,omitempty"`
	DependsOn []string          `json:"dependsOn,omitempty"`
}

// graphReply is the answer to one of them.
type graphReply struct {
	ID      string            `json:"id"`
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Body    json.RawMessage   `json:"body"`
}

// The service takes 20 requests a batch, and 4 MB; half of that leaves room for the answer.
const (
	graphBatchRequests = 20
	graphBatchBytes    = 2_000_000
)

// graphGet is a request that reads.
func graphGet(path string) graphRequest { return graphRequest{Method: http.MethodGet, URL: path} }

// graphSend is a request with a JSON body; nil sends none.
func graphSend(method, path string, body []byte) graphRequest {
	r := graphRequest{Method: method, URL: path, Body: body}
	if body != nil {
		r.Headers = map[string]string{"Content-Type": "application/json"}
	}
	return r
}

// batch sends requests in one go. Each waits for the one before it: the service would else choose the order, and run them
// beside each other, which a workbook takes badly. The replies come in the order of the requests.
func (g *Graph) batch(ctx context.Context, requests []graphRequest) ([]graphReply, error) {
	for i := range requests {
		requests[i].ID = strconv.Itoa(i + 1)
		if i > 0 {
			requests[i].DependsOn = []string{requests[i-1].ID}
		}
	}
	body, err := graphBody(requests)
	if err != nil {
		return nil, err
	}
	answer, err := g.rest.do(ctx, call{Method: http.MethodPost, Path: "/$batch", Body: body})
	if err != nil {
		return nil, err
	}
	defer answer.Close()
	var replies struct {
		Responses []graphReply `json:"responses"`
	}
	if err := json.NewDecoder(answer).Decode(&replies); err != nil {
		return nil, err
	}
	return inOrder(requests, replies.Responses)
}

// graphBody puts the requests together without encoding their bodies, which are JSON already, once more.
func graphBody(requests []graphRequest) ([]byte, error) {
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
func inOrder(requests []graphRequest, replies []graphReply) ([]graphReply, error) {
	byID := map[string]graphReply{}
	for _, r := range replies {
		byID[r.ID] = r
	}
	ordered := make([]graphReply, len(requests))
	for i, r := range requests {
		reply, ok := byID[r.ID]
		if !ok {
			return nil, fmt.Errorf("batch: request %s of %d was not answered", r.ID, len(requests))
		}
		ordered[i] = reply
	}
	return ordered, nil
}

// refused gives a reply's *refusal; nil when it is a success.
func (g *Graph) refused(r graphReply) error {
	if r.Status/100 == 2 {
		return nil
	}
	refused := &refusal{Status: r.Status, Body: r.Body[:min(len(r.Body), maxRefusal)]}
	for name, value := range r.Headers {
		if http.CanonicalHeaderKey(name) == "Retry-After" {
			refused.RetryAfter = retryAfter(value, g.rest.now())
		}
	}
	return refused
}

// isStatus tells whether err is a service's answer of that status.
func isStatus(err error, status int) bool {
	var refused *refusal
	return errors.As(err, &refused) && refused.Status == status
}
