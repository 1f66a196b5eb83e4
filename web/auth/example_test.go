package auth_test

import (
	"context"
	"fmt"
	"time"

	"mooring/storage/record"
	"mooring/web/auth"
)

// revoked is a source of revocations that names one token of every tenant.
type revoked string

func (id revoked) Revoked(context.Context, string) ([]record.Revocation, error) {
	return []record.Revocation{{TokenID: string(id)}}, nil
}

// A token speaks for a caller until it expires, or until it is revoked.
func Example() {
	keys, err := auth.NewKeyring("mooring", []auth.TokenKey{{ID: "main", Algorithm: "HS256", Secret: []byte("a secret of at least thirty-two bytes")}})
	if err != nil {
		fmt.Println(err)
		return
	}
	now := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	ana := auth.Caller{Tenant: "acme", Actor: record.Actor{ID: 7, Actions: []string{record.ActionReportRead}}}
	token, id, err := keys.Sign(ana, now, time.Hour)
	if err != nil {
		fmt.Println(err)
		return
	}
	tokens, revocations := auth.NewTokens(keys), auth.NewRevocations(revoked(id))
	caller, err := tokens.Caller(token, now)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(caller.Tenant, caller.ID, caller.OnReport(1, nil) == record.MayRead)
	is, err := revocations.Include(context.Background(), caller, now)
	fmt.Println("revoked:", is, err)
	_, err = tokens.Caller(token, now.Add(time.Hour))
	fmt.Println("an hour later:", err)
	// Output:
	// acme 7 true
	// revoked: true <nil>
	// an hour later: token has invalid claims: token is expired
}

// The origins of a configuration are checked once, and then asked with each Origin header.
func ExampleOrigins_Admit() {
	origins := auth.Origins{"https://*.example.com"}
	fmt.Println(auth.CheckOrigin(origins[0]))
	fmt.Println(origins.Admit("https://addin.example.com"), origins.Admit("https://example.com"))
	// Output:
	// <nil>
	// true false
}
