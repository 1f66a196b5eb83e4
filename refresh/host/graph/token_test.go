package graph

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mooring/placements"
)

func TestFaultsOfTokens(t *testing.T) {
	for _, row := range []struct {
		fact   string
		status int
		want   placements.Class
	}{
		{"refused credentials", 400, placements.Auth},
		{"too many tokens", 429, placements.Quota},
		{"a broken login service", 502, placements.Transient},
	} {
		t.Run(row.fact, func(t *testing.T) {
			login := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(row.status)
				fmt.Fprint(w, `{"error":"x","error_description":"client_secret=hidden"}`)
			}))
			defer login.Close()
			g, err := New(Settings{TenantID: "t", ClientID: "c", ClientSecret: "s", Drives: []string{"d"}, Endpoint: login.URL, TokenEndpoint: login.URL})
			if err != nil {
				t.Fatal(err)
			}
			var f *placements.Fault
			if err := g.Check(t.Context()); !errors.As(err, &f) || f.Class != row.want || strings.Contains(f.Message, "hidden") {
				t.Errorf("got %v, want class %s", err, row.want)
			}
		})
	}
}
