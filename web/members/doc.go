// Package members names the members of JSON objects that several bodies share, or that are a whole body without a server to ask: what a
// report means, where it is placed, when a schedule fires, a dashboard's draft, and a bundle of all these. Package bind reads with them.
package members
