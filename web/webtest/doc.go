// Package webtest asks for what the table of recordtest names over HTTP: it makes the assets of the table through the interface itself, and
// has a request for each of its rights. The tests of web send them to the handlers, an attack on the built program to a server.
package webtest
