// Package events is the room of events: streams of what happens in a deployment, each of which sends its subscriber what it may read.
package events
