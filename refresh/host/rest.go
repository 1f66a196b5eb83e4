package host

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
	"strconv"
	"strings"
	"time"

	"golang.org/x/oauth2"
)

// rest sends requests with JSON bodies to one service on behalf of one account. It tries nothing twice but a request whose
// token had been revoked: when to try again is the caller's to decide.
type rest struct {
	base   string // without a trailing slash
	client *http.Client
	header http.Header // of every request
	tokens *tokens
	now    func() time.Time
}

// call is one request. Path is relative to the service's address; Body is JSON, nil for none.
type call struct {
	Method, Path string
	Query        url.Values
	Header       http.Header
	Body         []byte
}

// refusal is an answer other than 2xx.
type refusal struct {
	Status     int
	Body       []byte
	RetryAfter time.Duration // zero: the service said nothing
}

func (r *refusal) Error() string {
	return fmt.Sprintf("status %d: %s", r.Status, bytes.TrimSpace(r.Body))
}

// says tells whether the answer holds one of the texts, whatever the case.
func (r *refusal) says(texts ...string) bool {
	body := strings.ToLower(string(r.Body))
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(body, strings.ToLower(text)) })
}

// maxRefusal bounds how much of a refusal is kept for the log.
const maxRefusal = 4 << 10

// do sends c and returns the answer's body, which the caller closes. The error is a *refusal for any status but 2xx.
func (r *rest) do(ctx context.Context, c call) (io.ReadCloser, error) {
	token, err := r.tokens.get(ctx)
	if err != nil {
		return nil, err
	}
	resp, err := r.send(ctx, c, token)
	if err == nil && resp.StatusCode == http.StatusUnauthorized {
		resp.Body.Close()
		r.tokens.drop(token)
		if token, err = r.tokens.get(ctx); err != nil {
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
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal))
	return nil, &refusal{Status: resp.StatusCode, Body: body, RetryAfter: retryAfter(resp.Header.Get("Retry-After"), r.now())}
}

func (r *rest) send(ctx context.Context, c call, token *oauth2.Token) (*http.Response, error) {
	address := r.base + c.Path
	if len(c.Query) > 0 {
		address += "?" + c.Query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, c.Method, address, bytes.NewReader(c.Body))
	if err != nil {
		return nil, err
	}
	maps.Copy(req.Header, r.header)
	maps.Copy(req.Header, c.Header)
	if c.Body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("User-Agent", "mooring (gzip)") // without the word, Google compresses no answer
	token.SetAuthHeader(req)
	return r.client.Do(req)
}

// withoutAddress drops the address from an error of the HTTP client: the cause is logged, and addresses hold document ids.
func withoutAddress(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

// retryAfter reads a Retry-After header: seconds, or a date (RFC 9110).
func retryAfter(header string, now time.Time) time.Duration {
	header = strings.TrimSpace(header)
	if seconds, err := strconv.ParseFloat(header, 64); err == nil && seconds > 0 && seconds < 1e6 {
		return time.Duration(seconds * float64(time.Second))
	}
	if at, err := http.ParseTime(header); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}

// requestTimeout bounds a request, its answer's body included; a large block takes tens of seconds.
const requestTimeout = 3 * time.Minute

// newClient makes a client that follows no redirect: an API gives none, and one could lead a token elsewhere.
func newClient() *http.Client {
	return &http.Client{
		Timeout:       requestTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// endpoint gives an address without its trailing slash, or the usual one when it is empty.
func endpoint(configured, usual string) (string, error) {
	if configured == "" {
		return usual, nil
	}
	u, err := url.Parse(configured)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return "", errors.New("endpoint: not an http or https address")
	}
	return strings.TrimRight(configured, "/"), nil
}

// orDefault reads an optional limit: zero is the default, negative none.
func orDefault(limit, usual int) int {
	if limit == 0 {
		return usual
	}
	return max(limit, 0)
}
