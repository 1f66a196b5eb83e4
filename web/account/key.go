package account

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/auth"
	"mooring/web/bind"
	"mooring/web/gate"
	"mooring/web/members"
	"mooring/web/request"
)

// keys makes keys for people, and lists and ends those that were made.
type keys struct {
	store *storage.Store
	gate  *gate.Gate
	now   func() time.Time
}

// maxDays is how long a key lasts at most.
const maxDays = 365

// keyBody is the body of a request for a key.
type keyBody struct {
	name string
	auth.Grant
	days int64
}

// Members implements request.Body.
func (b *keyBody) Members(o *bind.Object) {
	o.Required("name", "deployments", "actions", "days")
	bind.Text(o, "name", &b.name, members.MaxName, bind.Filled)
	grantMembers(o, &b.Grant)
	bind.Whole(o, "days", &b.days, 1)
}

// check returns the faults that no member has by itself.
func (b *keyBody) check(served func(deployment int64) bool) error {
	var faults bind.Faults
	if b.days > maxDays {
		faults.Add(placements.Detail{
			Pointer: "/days", Code: placements.CodeInvalid, Message: fmt.Sprintf("must be at most %d: make another key before this one ends.", maxDays),
		})
	}
	for i, d := range b.Deployments {
		if !served(d) {
			faults.Add(placements.Detail{
				Pointer: fmt.Sprintf("/deployments/%d", i), Code: placements.CodeInvalid,
				Message: fmt.Sprintf("names no deployment of the account, which has no %d.", d),
			})
		}
	}
	if len(faults) > 0 {
		return placements.Faulty(faults...)
	}
	return nil
}

// mayMakeKeys refuses a caller who makes no keys.
func mayMakeKeys(caller *auth.Caller) error {
	switch {
	case !caller.Personal():
		return placements.Errorf(placements.CodeForbidden,
			"This token is of a device, or bounded to some actions, and makes no keys: sign in to the console, or use a key of your own with the action All.")
	case caller.CSRF == "" && !caller.IsAdmin():
		return placements.Errorf(placements.CodeForbidden,
			"Keys are made with the action All in the token itself, or by who is signed in to the console: make one there, under Keys and devices.")
	}
	return nil
}

// madeKey is the answer to a request for a key: the only one that has its token.
type madeKey struct {
	Token     string `json:"token"`
	ID        string `json:"id"`
	ExpiresAt string `json:"expiresAt"`
}

// Send implements request.Answer.
func (k madeKey) Send(c *request.Call) error {
	c.Set("Cache-Control", "no-store")
	c.JSON(http.StatusCreated, k)
	return nil
}

// make makes a key that does no more than the caller may.
func (k *keys) make(ctx context.Context, c *request.Call) (any, error) {
	var in keyBody
	if err := c.Read(&in); err != nil {
		return nil, err
	}
	caller := c.Caller
	if err := caller.Grants(in.Grant); err != nil {
		return nil, placements.Errorf(placements.CodeForbidden, "Your own token has not %v: make a key of what it has.", err)
	}
	if err := in.check(func(d int64) bool { return k.gate.Serves(caller.Tenant, d) }); err != nil {
		return nil, err
	}
	if err := k.count(ctx, caller); err != nil {
		return nil, err
	}
	made, token, err := k.gate.Keys().Make(ctx, caller, in.name, in.Grant, time.Duration(in.days)*24*time.Hour, k.now())
	switch {
	case errors.Is(err, auth.ErrUnsigned):
		return nil, placements.Errorf(placements.CodeNoSigningKey,
			"This service has only public keys, and signs no tokens: make the key with mooring key create where the private key is.").Because(err)
	case errors.Is(err, auth.ErrTooManyKeys):
		return nil, placements.Errorf(placements.CodeKeyLimit, "You have made %d keys that have not ended: end one that is not needed.", auth.MostKeys)
	case err != nil:
		return nil, err
	}
	return madeKey{token, made.ID, placements.Time(made.Expires)}, nil
}

// keysPerMinute is how many keys a person may make: each that is ended is remembered for as long as it would have lasted.
const keysPerMinute = 10

// count refuses a person who makes keys too fast.
func (k *keys) count(ctx context.Context, caller *auth.Caller) error {
	rate := record.Rate{PerSecond: keysPerMinute / time.Minute.Seconds(), Burst: keysPerMinute}
	taken, err := k.store.Tenants().TakeRequest(ctx, caller.Tenant, "keys of "+caller.Identity(), rate)
	if err != nil || taken.Wait == 0 {
		return err
	}
	e := placements.Errorf(placements.CodeRateLimited, "You may make %d keys a minute: wait as Retry-After says.", keysPerMinute)
	e.RetryAfter = taken.Wait
	return e
}

// shownKey is a key that was made, without its token.
type shownKey struct {
	ID          string      `json:"id"`
	Name        string      `json:"name"`
	Deployments []int64     `json:"deployments"`
	Actions     []string    `json:"actions"`
	Bound       []string    `json:"bound"`
	MadeBy      record.User `json:"madeBy"`
	MadeAt      string      `json:"madeAt"`
	UsedAt      *string     `json:"usedAt"` // nil: never
	ExpiresAt   string      `json:"expiresAt"`
}

func shownKeyOf(k *record.Key) shownKey {
	out := shownKey{
		ID: k.ID, Name: k.Name, Deployments: k.Deployments, Actions: k.Actions, Bound: k.Bound,
		MadeBy: k.User(), MadeAt: placements.Time(k.Made), ExpiresAt: placements.Time(k.Expires),
	}
	if !k.Used.IsZero() {
		at := placements.Time(k.Used)
		out.UsedAt = &at
	}
	return out
}

// seen lists the good keys that the caller sees, those made last first.
func (k *keys) seen(ctx context.Context, caller *auth.Caller) ([]*record.Key, error) {
	list, err := k.gate.Keys().Good(ctx, caller.Tenant, k.now())
	list = slices.DeleteFunc(list, func(one *record.Key) bool { return !caller.SeesKey(one) })
	slices.SortFunc(list, func(a, b *record.Key) int { return cmp.Or(b.Made.Compare(a.Made), strings.Compare(a.ID, b.ID)) })
	return list, err
}

// list answers with the good keys that the caller sees.
func (k *keys) list(ctx context.Context, c *request.Call) (any, error) {
	first, err := c.First()
	if err != nil {
		return nil, err
	}
	list, err := k.seen(ctx, c.Caller)
	if err != nil {
		return nil, err
	}
	if after := c.Query("after"); after != "" {
		at := slices.IndexFunc(list, func(one *record.Key) bool { return one.ID == after })
		if at < 0 {
			return nil, placements.Errorf(placements.CodeCursor, "after is not a cursor of this list, or its key has ended: begin again without it.")
		}
		list = list[at+1:]
	}
	page, end := list[:min(first, len(list))], ""
	if n := len(page); n > 0 {
		end = page[n-1].ID
	}
	return request.EncodedPage(page, len(list) > first, end, func(one *record.Key) ([]byte, error) { return record.EncodeBytes(shownKeyOf(one)) })
}

// end ends a key that the caller sees.
func (k *keys) end(ctx context.Context, c *request.Call) (any, error) {
	list, err := k.seen(ctx, c.Caller)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(list, func(one *record.Key) bool { return one.ID == c.Param("keyId") })
	if at < 0 {
		return nil, request.NotFound("key")
	}
	if err := k.gate.Keys().End(ctx, c.Caller.Tenant, list[at], c.Caller.Actor); err != nil {
		return nil, err
	}
	return map[string]any{"id": list[at].ID}, nil
}
