package rest

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"golang.org/x/oauth2"
)

// Tokens keeps an account's access token until it expires or the service refuses it.
type Tokens struct {
	// source makes a token source whose first token is always a new one.
	Source func(ctx context.Context) oauth2.TokenSource
	Client *http.Client

	mu      sync.Mutex
	current *oauth2.Token
}

// get returns a token that has not expired.
func (t *Tokens) get(ctx context.Context) (*oauth2.Token, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.current.Valid() {
		return t.current, nil
	}
	token, err := t.Source(context.WithValue(ctx, oauth2.HTTPClient, t.Client)).Token()
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &noToken{err}
	}
	t.current = token
	return token, nil
}

// drop forgets a token that the service refused, unless another request has replaced it already.
func (t *Tokens) drop(refused *oauth2.Token) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.current == refused {
		t.current = nil
	}
}

// noToken says why there is no access token.
type noToken struct{ cause error }

func (e *noToken) Error() string { return "access token: " + withoutAddress(e.cause).Error() }

func (e *noToken) Unwrap() error { return e.cause }

// status is the token endpoint's answer, 0 without one.
func (e *noToken) status() int {
	var refused *oauth2.RetrieveError
	if errors.As(e.cause, &refused) && refused.Response != nil {
		return refused.Response.StatusCode
	}
	return 0
}
