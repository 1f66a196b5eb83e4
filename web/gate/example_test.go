package gate_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"time"

	"mooring/storage"
	"mooring/web/auth"
	"mooring/web/gate"
)

// Who shows no token is not admitted.
func ExampleGate_Authenticate() {
	store, err := storage.Open(context.Background(), storage.Config{Log: slog.New(slog.DiscardHandler)})
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
	g := gate.New(gate.Config{Store: store, Rules: gate.Rules{Keys: keys}, Tenants: map[string]gate.Account{"acme": {}}, Now: time.Now})
	_, err = g.Authenticate(httptest.NewRequest("GET", "/api/v1/me", nil))
	fmt.Println(err)
	// Output: Send the header Authorization: Bearer <token>.
}
