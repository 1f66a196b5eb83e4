// Package trace times what the service does, as OpenTelemetry spans that go to a collector by OTLP (HTTP, protobuf), and carries the
// identity of a trace (W3C Trace Context) from who calls the service to what the service calls.
//
// Where nothing is traced, a step is a look into its context, without an allocation.
//
// A span is one step of a request or of a run. A Tracer begins the first of them; Start begins the steps within it, and does nothing for
// work that is not traced. Spans name steps, ids and counts, never what stands in cells, in a query or in a credential.
package trace
