// Package schedules is the room of schedules: what they refresh and when, who may make, change and run them, and what their writers are warned
// of.
package schedules
