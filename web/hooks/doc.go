// Package hooks is the room of inbound hooks: it takes the deliveries by which other systems say that data has arrived, each of which runs the
// schedule of its hook once. Which deliveries are right is what package hook decides.
package hooks
