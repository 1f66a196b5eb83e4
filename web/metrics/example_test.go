package metrics_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"time"

	"mooring/web/metrics"
)

// The page of a process that has answered one request.
func ExampleRegistry() {
	r := metrics.New("v1.2.3")
	r.Observe("GET", "/healthz", 200, time.Millisecond)
	page := httptest.NewRecorder()
	r.Page().ServeHTTP(page, httptest.NewRequest("GET", "/metrics", nil))
	for line := range strings.Lines(page.Body.String()) {
		if strings.HasPrefix(line, "mooring_http_request_duration_seconds_count") {
			fmt.Print(line)
		}
	}
	// Output: mooring_http_request_duration_seconds_count{method="GET",route="/healthz",status="200"} 1
}
