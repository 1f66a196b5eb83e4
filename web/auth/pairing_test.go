package auth

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mooring/storage/record"
)

// Every key gives the same successor, which is signed anew for whoever asks again.
func TestRefreshTokens(t *testing.T) {
	edPrivate, _ := edKey(t)
	rsaPrivate, _ := rsaKey(t, 2048)
	now := time.Now()
	want := RefreshToken{Tenant: "acme", Device: "D", Generation: 3, Expires: now.Add(time.Hour).Truncate(time.Second)}
	for _, key := range []TokenKey{
		{ID: "k", Algorithm: "HS256", Secret: secret},
		{ID: "k", Algorithm: "EdDSA", PrivateKey: edPrivate},
		{ID: "k", Algorithm: "RS256", PrivateKey: rsaPrivate},
	} {
		t.Run(key.Algorithm, func(t *testing.T) {
			k := keyring(t, key)
			first, err := k.SignRefresh(want)
			again, errAgain := k.SignRefresh(want)
			if first != again || err != nil || errAgain != nil {
				t.Errorf("%q, %v; %q, %v", first, err, again, errAgain)
			}
			got, err := k.VerifyRefresh(first, now)
			if err != nil || got.Tenant != want.Tenant || got.Device != want.Device || got.Generation != 3 || !got.Expires.Equal(want.Expires) {
				t.Errorf("%+v, %v", got, err)
			}
			if _, err := k.VerifyRefresh(first, now.Add(time.Hour)); err == nil {
				t.Error("an expired one is good")
			}
			if _, err := k.Verify(first, now); err == nil {
				t.Error("a refresh token is an access token")
			}
			access, _, err := k.Sign(Caller{Tenant: "acme"}, now, time.Hour)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := k.VerifyRefresh(access, now); err == nil {
				t.Error("an access token is a refresh token")
			}
		})
	}
}

// crowded is a store in which as many devices wait as may.
type crowded struct{ PairingStore }

func (crowded) TakePairing(context.Context, string, record.Rate) (time.Duration, error) {
	return 0, nil
}

func (crowded) PendingPairings(context.Context) (int64, error) { return mostPending, nil }

func TestTooManyDevicesWait(t *testing.T) {
	_, err := NewPairing(crowded{}, nil, nil, nil).Begin(t.Context(), "Laptop", "192.0.2.1", "", time.Now())
	refusal, ok := errors.AsType[*Refusal](err)
	if !ok || refusal.Code != "temporarily_unavailable" || refusal.RetryAfter == 0 {
		t.Errorf("%v", err)
	}
}

func TestUserCodes(t *testing.T) {
	for typed, want := range map[string]string{
		"BCDF-GHJK": "BCDFGHJK", "bcdfghjk": "BCDFGHJK", " bcdf ghjk ": "BCDFGHJK", "B-C-D-F-G-H-J-K": "BCDFGHJK",
		"": "", "BCDFGHJ": "", "BCDFGHJKL": "", "ABCDFGHJ": "", "BCDFGHJ1": "", "ＢCDFGHJK": "",
	} {
		if got, ok := typedUserCode(typed); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q, %t", typed, got, ok)
		}
	}
	counted := map[rune]int{}
	for range 1000 {
		code, err := newUserCode()
		if err != nil || len(code) != 8 {
			t.Fatalf("%q, %v", code, err)
		}
		for _, letter := range code {
			counted[letter]++
		}
	}
	for _, letter := range userCodeLetters { // 400 of each are to be expected
		if n := counted[letter]; n < 250 || n > 550 {
			t.Errorf("%c stands in 1000 codes %d times", letter, n)
		}
		delete(counted, letter)
	}
	if len(counted) > 0 || strings.Contains(userCodeLetters, "A") {
		t.Errorf("other letters: %v", counted)
	}
}

func TestGrants(t *testing.T) {
	caller := func(deployments []int64, actions ...string) *Caller {
		return &Caller{Deployments: deployments, Actor: record.Actor{ID: 1, Actions: actions}}
	}
	for name, tt := range map[string]struct {
		caller      *Caller
		deployments []int64
		actions     []string
		wrong       string
	}{
		"one's own":             {caller([]int64{1}, "ReportEdit", "Fly"), []int64{1}, []string{"ReportEdit", "Fly"}, ""},
		"what is implied":       {caller(nil, "ReportManage"), []int64{7}, []string{"ReportRead", "ReportEdit"}, ""},
		"anything with All":     {caller(nil, "All"), []int64{7}, []string{"All", "WorkbookManage", "Fly"}, ""},
		"another deployment":    {caller([]int64{1}, "All"), []int64{1, 2}, nil, "deployment 2"},
		"All of manage":         {caller(nil, "ReportManage", "WorkbookManage"), []int64{1}, []string{"All"}, "the action All"},
		"manage of edit":        {caller(nil, "ReportEdit"), []int64{1}, []string{"ReportManage"}, "the action ReportManage"},
		"workbooks of reports":  {caller(nil, "ReportManage"), []int64{1}, []string{"WorkbookRead"}, "the action WorkbookRead"},
		"a name that is opaque": {caller(nil, "ReportManage"), []int64{1}, []string{"Fly"}, "the action Fly"},
		"an empty name":         {caller(nil, "ReportManage"), []int64{1}, []string{""}, "the action "},
	} {
		t.Run(name, func(t *testing.T) {
			err := tt.caller.Grants(Grant{Deployments: tt.deployments, Actions: tt.actions})
			if (err == nil) != (tt.wrong == "") || err != nil && err.Error() != tt.wrong {
				t.Errorf("%v, want %q", err, tt.wrong)
			}
		})
	}
	let := Grant{Deployments: []int64{1}, Bound: []string{"ReportManage"}}
	if err := caller(nil).Grants(let); err != nil {
		t.Errorf("a bound grants nothing, and needs nothing: %v", err)
	}
}

// The bound of a device has its actions, and is there even where none was chosen.
func TestBoundsOfAGrant(t *testing.T) {
	for want, g := range map[string]Grant{
		"[]":                      {},
		"[ReportRead]":            {Actions: []string{"ReportRead"}},
		"[ReportEdit]":            {Bound: []string{"ReportEdit"}},
		"[ReportRead ReportEdit]": {Actions: []string{"ReportRead"}, Bound: []string{"ReportEdit", "ReportRead"}},
	} {
		if got := g.Bounds(); got == nil || fmt.Sprint(got) != want {
			t.Errorf("%+v: %v, want %s", g, got, want)
		}
	}
}
