// Package metrics counts what a process does, for Prometheus: requests and their answers by route, and the attempts, rows and lateness of
// its agents by tenant. The names and labels of the series are part of the service's interface.
package metrics
