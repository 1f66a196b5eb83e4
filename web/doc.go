// Package web is the HTTP interface: routes, requests, bodies, answers, errors. It knows HTTP and JSON; the rules are in placements, the
// records in storage, the runs in refresh. Beside it stand what needs no route: who calls in auth, the reading of bodies in bind, the rules of
// a draft in dashboard, the pages in docs, what is counted in metrics.
package web
