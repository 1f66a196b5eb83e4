// Package watch asks sources whether their data has changed, and has the schedules run that show it.
package watch
