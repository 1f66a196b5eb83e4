package trace_test

import (
	"context"
	"fmt"
	"net/http"

	"mooring/refresh/trace"
)

// What a client's request asks for becomes part of the client's trace, also where it is sent on.
func Example() {
	received := http.Header{"Traceparent": {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}
	ctx := trace.Receive(context.Background(), received)
	stored := trace.Parent(ctx)

	later := trace.Resume(context.Background(), stored)
	later, query := trace.Start(later, "query")
	defer query.End()
	sent := http.Header{}
	trace.Send(later, sent)
	fmt.Println(sent.Get("traceparent"))
	// Output: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
}
