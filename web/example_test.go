package web_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"

	"mooring/storage"
	"mooring/web"
	"mooring/web/auth"
)

// A server over a storage inside this process. Without a token an API request is refused.
func ExampleNew() {
	log := slog.New(slog.DiscardHandler)
	store, err := storage.Open(context.Background(), storage.Config{Log: log})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	keys, err := auth.NewKeyring("mooring", []auth.TokenKey{{ID: "main", Algorithm: "HS256", Secret: []byte("a secret of at least thirty-two bytes")}})
	if err != nil {
		fmt.Println(err)
		return
	}
	rules, tenants := web.Rules{Keys: keys}, map[string]web.Tenant{"acme": {}}
	server := httptest.NewServer(web.New(web.Config{Rules: rules, Store: store, Log: log, Tenants: tenants}).Handler())
	defer server.Close()
	answer, err := http.Get(server.URL + "/api/v1/deployments/1/reports")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer answer.Body.Close()
	fmt.Println(answer.Status, answer.Header.Get("WWW-Authenticate"))
	// Output: 401 Unauthorized Bearer
}
