package request

import (
	"log/slog"
	"net/http"
	"time"

	"mooring/refresh/trace"
	"mooring/storage/tenants"
	"mooring/web/auth"
	"mooring/web/metrics"
)

// Frame is what all routes of a server have around them. Records, Gate and Parameters are not asked by routes that are Open.
type Frame struct {
	Records    *tenants.Records // keep rates and what was answered under an Idempotency-Key
	Gate       Admission
	Flights    *Flights
	Limits     Limits
	Log        *slog.Logger
	Tracer     *trace.Tracer // nil: none
	Metrics    *metrics.Registry
	Now        func() time.Time
	Parameters map[string][]string // of the query that an operation knows, by method and path of its route
	Probes     []string            // paths by which others watch the service: they are answered while it drains, logged for debugging only, and not traced
	Proxies    []string            // addresses and networks whose X-Forwarded-For counts
}

// Admission finds out who calls.
type Admission interface {
	// Authenticate returns whose token or session a request has, admitted to its tenant. What it returns may be shared.
	Authenticate(r *http.Request) (*auth.Caller, error)
	// Serves reports whether a tenant has a deployment here.
	Serves(tenant string, deployment int64) bool
	// RatePerMinute is how many requests a token may make; 0: no limit.
	RatePerMinute() int
	// Origins are whose pages may use the interface from a browser.
	Origins() auth.Origins
}

// Limits bounds what a client may send. A zero field takes its default.
type Limits struct {
	Body  int64 // bytes; default 16 MiB
	Depth int   // nesting of objects and arrays; default 64
	// SlowRead is how far a client may fall behind the floor rate of a long answer, 16 KiB a second; default 30 s.
	SlowRead time.Duration
}

// The default limits; that of the body is decisions.md §2's.
const (
	defaultBody     = 16 << 20
	defaultDepth    = 64
	defaultSlowRead = 30 * time.Second
)

// WithDefaults returns l with its defaults.
func (l Limits) WithDefaults() Limits {
	if l.Body == 0 {
		l.Body = defaultBody
	}
	if l.Depth == 0 {
		l.Depth = defaultDepth
	}
	if l.SlowRead == 0 {
		l.SlowRead = defaultSlowRead
	}
	return l
}
