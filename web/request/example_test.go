package request_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"time"

	"mooring/web/metrics"
	"mooring/web/request"
)

// A route of a room: what its operation returns is answered as JSON, and its errors with their status.
func ExampleFrame_Handler() {
	greet := request.Do(func(_ context.Context, c *request.Call) (any, error) {
		if c.Query("name") == "" {
			return nil, request.NotFound("person")
		}
		return map[string]string{"hello": c.Query("name")}, nil
	})
	frame := request.Frame{Flights: request.NewFlights(), Log: slog.New(slog.DiscardHandler), Metrics: metrics.New(""), Now: time.Now}
	served := frame.Handler([]request.Route{{Method: "GET", Path: "/greeting", Operation: greet}})
	for _, path := range []string{"/greeting?name=Ann", "/greeting"} {
		w := httptest.NewRecorder()
		served.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		fmt.Println(w.Code, w.Body.String()[:15])
	}
	// Output:
	// 200 {"hello":"Ann"}
	// 404 {"statusCode":4
}
