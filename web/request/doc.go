// Package request is the floor under all operations of the interface. It knows HTTP and no assets: it finds out who calls, reads bodies,
// parameters and preconditions, writes answers, pages and errors, counts, logs and traces.
//
// A route says its method, path and scope, and an Operation: what it loads and does. Load finds what the path names and judges the caller;
// it is called before the operation, before a kept answer is sent again, and again while a long answer is being sent. Do returns a value,
// which is answered as JSON under status 200, or an Answer that sends itself.
package request
