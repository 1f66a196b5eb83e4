package rest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"mooring/refresh/retryafter"
	"mooring/refresh/trace"

	"golang.org/x/oauth2"
)

// Client sends requests with JSON bodies to one service on behalf of one account. It tries nothing twice but a request whose
// token had been revoked: when to retry is the caller's to decide.
type Client struct {
	Base   string // without a trailing slash
	Client *http.Client
	Header http.Header // of every request
	Tokens *Tokens
	Now    func() time.Time
}

// Call is one request. Path is relative to the service's address; Body is JSON, nil for none.
type Call struct {
	Method, Path string
	Query        url.Values
	Header       http.Header
	Body         []byte
}

// Refusal is an answer other than 2xx.
type Refusal struct {
	Status     int
	Body       []byte
	RetryAfter time.Duration // zero: the service said nothing
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("status %d: %s", r.Status, bytes.TrimSpace(r.Body))
}

// Says reports whether the answer holds one of the texts, whatever the case.
func (r *Refusal) Says(texts ...string) bool {
	body := strings.ToLower(string(r.Body))
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(body, strings.ToLower(text)) })
}

// IsStatus reports whether err is a service's answer of that status.
func IsStatus(err error, status int) bool {
	var refused *Refusal
	return errors.As(err, &refused) && refused.Status == status
}

// MaxRefusal bounds how much of a refusal is kept for the log.
const MaxRefusal = 4 << 10

// Do sends c and returns the answer's body, which the caller closes. The error is a *refusal for any status but 2xx.
func (r *Client) Do(ctx context.Context, c Call) (io.ReadCloser, error) {
	token, err := r.Tokens.get(ctx)
	if err != nil {
		return nil, err
	}
	resp, err := r.send(ctx, c, token)
	if err == nil && resp.StatusCode == http.StatusUnauthorized {
		resp.Body.Close()
		r.Tokens.drop(token)
		if token, err = r.Tokens.get(ctx); err != nil {
			return nil, err
		}
		resp, err = r.send(ctx, c, token)
	}
	if err != nil {
		return nil, withoutAddress(err)
	}
	if resp.StatusCode/100 == 2 {
		return resp.Body, nil
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, MaxRefusal))
	return nil, &Refusal{Status: resp.StatusCode, Body: body, RetryAfter: retryafter.Parse(resp.Header.Get("Retry-After"), r.Now())}
}

func (r *Client) send(ctx context.Context, c Call, token *oauth2.Token) (*http.Response, error) {
	address := r.Base + c.Path
	if len(c.Query) > 0 {
		address += "?" + c.Query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, c.Method, address, bytes.NewReader(c.Body))
	if err != nil {
		return nil, err
	}
	maps.Copy(req.Header, r.Header)
	maps.Copy(req.Header, c.Header)
	if c.Body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("User-Agent", "mooring (gzip)") // without the word, Google compresses no answer
	trace.Send(ctx, req.Header)
	token.SetAuthHeader(req)
	return r.Client.Do(req)
}

// withoutAddress drops the address from an error of the HTTP client: the cause is logged, and addresses hold document ids.
func withoutAddress(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

// requestTimeout bounds a request, its answer's body included; a large block takes tens of seconds.
const requestTimeout = 3 * time.Minute

// NewHTTPClient makes a client that follows no redirect: an API sends none, and one could lead a token elsewhere.
func NewHTTPClient() *http.Client {
	return &http.Client{
		Timeout:       requestTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Endpoint returns an address without its trailing slash, or the usual one when it is empty.
func Endpoint(configured, usual string) (string, error) {
	if configured == "" {
		return usual, nil
	}
	u, err := url.Parse(configured)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return "", errors.New("endpoint: not an http or https address")
	}
	return strings.TrimRight(configured, "/"), nil
}

// OrDefault reads an optional limit: zero is the default, negative none.
func OrDefault(limit, usual int) int {
	if limit == 0 {
		return usual
	}
	return max(limit, 0)
}
