// Package rest is what hosts behind an HTTP API share: requests with tokens, quotas of requests, the faults that a service's answers
// are, and where the blocks of a session stand. It knows no service.
package rest
