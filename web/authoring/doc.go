// Package authoring is the room of those who write queries: what the source of a deployment has, and what a query returns before it is a
// report's.
package authoring
