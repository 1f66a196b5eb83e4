package overview

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"mooring/placements"
	"mooring/refresh"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/auth"
	"mooring/web/bind"
)

// Operations answers calls. Store and Tokens are required.
type Operations struct {
	Store             *storage.Store
	Engine            *refresh.Engine // nil: there are no spreadsheet hosts here
	Tokens            Verifier
	Tenants           map[string][]int64 // deployments of each tenant, ascending
	RequestsPerMinute int                // that a token may make; 0: no limit
}

// Verifier finds out who a token speaks for.
type Verifier interface {
	Verify(ctx context.Context, token string, now time.Time) (*auth.Caller, error)
	// Names reports whether a text may be the id of a token.
	Names(id string) bool
}

// Call is one request to an operation. Its caller has been admitted to the deployment.
type Call struct {
	Caller *auth.Caller
	At     record.Deployment                      // ID is 0 outside deployments
	Query  url.Values                             // parameters
	Param  func(name string) string               // of the path, "" where it has none of that name
	Body   func(members func(*bind.Object)) error // reads the body; its error says all that is wrong with it
}

// pathID reads an id from the path. What is no id names nothing.
func (c *Call) pathID(name, noun string) (int64, error) {
	id, ok := ParseID(c.Param(name))
	if !ok {
		return 0, NotFound(noun)
	}
	return id, nil
}

// ParseID reads an id as answers write it: +1, 01 and 1.0 are none.
func ParseID(s string) (id int64, ok bool) {
	id, err := strconv.ParseInt(s, 10, 64)
	return id, err == nil && id > 0 && strconv.FormatInt(id, 10) == s
}

// NotFound says that an asset does not exist, or that the caller may not know whether it does.
func NotFound(noun string) *placements.Error {
	return placements.Errorf(placements.CodeNotFound,
		"No such %s here, or this token may not read it: check the id, and the roles and actions of the token.", noun)
}

// Absent says what storage means by not found: of every asset in the words of NotFound, so that nothing tells one that does not exist from
// one that may not be read.
func Absent(err error, noun string) error {
	if errors.Is(err, storage.ErrNotFound) {
		return NotFound(noun)
	}
	return err
}

// id reads a parameter that is the id of an asset or user; 0 when it was not sent.
func (c *Call) id(name string) (int64, error) {
	sent := c.Query.Get(name)
	if sent == "" {
		return 0, nil
	}
	id, ok := ParseID(sent)
	if !ok {
		return 0, placements.Errorf(placements.CodeParameter, "%s must be an id, an integer from 1 on.", name)
	}
	return id, nil
}

// since reads the parameter of that name; zero when it was not sent.
func (c *Call) since() (at time.Time, err error) {
	sent := c.Query.Get("since")
	if sent == "" {
		return at, nil
	}
	if at, err = time.Parse(time.RFC3339, sent); err != nil {
		return at, placements.Errorf(placements.CodeParameter, "since must be a time such as 2026-11-22T07:00:00Z.").Because(err)
	}
	return at, nil
}

// choice reads a parameter that is one of some words, which must says; empty when it was not sent.
func choice[T ~string](c *Call, name string, words []T, must string) (T, error) {
	sent := T(c.Query.Get(name))
	if sent != "" && !slices.Contains(words, sent) {
		return "", placements.Errorf(placements.CodeParameter, "%s must be %s.", name, must)
	}
	return sent, nil
}

// Included reads the parameter include, a list with commas of names, of which an operation knows some.
func Included(sent string, known ...string) ([]string, error) {
	if sent == "" {
		return nil, nil
	}
	names := strings.Split(sent, ",")
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, placements.Errorf(placements.CodeInvalid,
				"include must be %s, or absent; put a comma between several.", strings.Join(known, " or "))
		}
	}
	return names, nil
}
