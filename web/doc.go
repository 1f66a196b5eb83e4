// Package web is the HTTP interface: routes, tokens, bodies, errors. It knows HTTP and JSON; the rules are in placements,
// the records in storage, the runs in refresh.
package web
