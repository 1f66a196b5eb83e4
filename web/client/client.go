package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/oapi-codegen/nullable"
)

// New returns a client of the server at an address such as https://acme.example.com, which sends the token with each request, and follows a
// redirect only within that origin. An answer
// that is an error comes back as a *ResponseError, so that one without an error has what its operation returns.
func New(server, token string) (*ClientWithResponses, error) {
	return NewClientWithResponses(server, WithHTTPClient(doer{}), WithRequestEditorFn(func(_ context.Context, req *http.Request) error {
		req.Header.Set("Authorization", "Bearer "+token)
		return nil
	}))
}

// Set returns a member of a body that has a value.
func Set[T any](value T) nullable.Nullable[T] { return nullable.NewNullableWithValue(value) }

// Null returns a member of a body that is null, which clears what the server has. A member that is not assigned is not sent.
func Null[T any]() nullable.Nullable[T] { return nullable.NewNullNullable[T]() }

// ResponseError is an answer that is an error, as all operations describe it.
type ResponseError struct {
	Request    string        `json:"-"`          // method and path
	RequestID  string        `json:"-"`          // X-Request-Id, which the server's log has too
	RetryAfter time.Duration `json:"-"`          // how long to wait before sending the request again; 0: not said
	StatusCode int           `json:"statusCode"` // of HTTP
	Message    string        `json:"message"`    // what happened and what to do
	Code       string        `json:"code"`       // of the cause; "": the answer has none
	Retryable  bool          `json:"retryable"`  // the same request may succeed later
	Details    []ErrorDetail `json:"details"`    // all faults of the request
}

// ErrorDetail is one of the faults of a request.
type ErrorDetail struct {
	Pointer string `json:"pointer"` // into the request's body (RFC 6901)
	Message string `json:"message"`
	Code    string `json:"code"`
}

// Error implements error.
func (e *ResponseError) Error() string {
	return fmt.Sprintf("%s: %d: %s", e.Request, e.StatusCode, e.Message)
}

// maxErrorBytes bounds how much of an answer that is an error is read.
const maxErrorBytes = 8 << 20

// doer sends requests as the default client does, but to one origin.
type doer struct{}

// Do implements HttpRequestDoer.
func (doer) Do(req *http.Request) (*http.Response, error) {
	within := *http.DefaultClient
	within.CheckRedirect = sameOrigin
	resp, err := within.Do(req)
	if err != nil || resp.StatusCode < http.StatusBadRequest {
		return resp, err
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBytes))
	return nil, errors.Join(responseError(req, resp, text), err, resp.Body.Close())
}

// maxRedirects is how many redirects are followed, as net/http does.
const maxRedirects = 10

// sameOrigin refuses to take a token, and a request's body, to another server than the one that they are for, or to the same one in clear.
func sameOrigin(next *http.Request, before []*http.Request) error {
	first := before[0].URL
	switch {
	case next.URL.Scheme != first.Scheme || next.URL.Host != first.Host:
		return fmt.Errorf("the server sends the request on to %q, where its token is not taken: name the server by the address that it has now",
			next.URL.Scheme+"://"+next.URL.Host)
	case len(before) >= maxRedirects:
		return fmt.Errorf("the server redirects more than %d times", maxRedirects)
	}
	return nil
}

// responseError describes an answer that is an error. One that is not of the server itself, such as a proxy's page, has its status alone.
func responseError(req *http.Request, resp *http.Response, text []byte) error {
	e := new(ResponseError)
	var oauth struct { // of the operations on codes and tokens of devices
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	switch {
	case json.Unmarshal(text, e) == nil && e.Message != "":
	case json.Unmarshal(text, &oauth) == nil && oauth.Description != "":
		e = &ResponseError{Message: oauth.Description, Code: oauth.Error}
	default:
		e = &ResponseError{Message: http.StatusText(resp.StatusCode)}
	}
	e.Request = req.Method + " " + req.URL.Path
	e.RequestID, e.StatusCode = resp.Header.Get("X-Request-Id"), resp.StatusCode
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil {
		e.RetryAfter = time.Duration(seconds) * time.Second
	}
	return e
}
