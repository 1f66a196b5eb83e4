package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"mooring/web/client"
)

// A server that knows one report, and nothing else.
func Example() {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/deployments/1/reports/7", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"id":7,"name":"Sales"}`)
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"statusCode":404,"message":"No such report here.","code":"not_found"}`)
	})
	server := httptest.NewServer(mux)
	defer server.Close()

	api, err := client.New(server.URL, "a token")
	if err != nil {
		fmt.Println(err)
		return
	}
	for id := range int64(2) {
		answer, err := api.GetReportWithResponse(context.Background(), 1, 7+id, nil)
		if refused, ok := errors.AsType[*client.ResponseError](err); ok {
			fmt.Println(refused.Code, refused)
			continue
		}
		fmt.Println(answer.JSON200.Name)
	}
	// Output:
	// Sales
	// not_found GET /api/v1/deployments/1/reports/8: 404: No such report here.
}
