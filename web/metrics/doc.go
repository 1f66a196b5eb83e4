// Package metrics counts what a process does, for Prometheus: requests and their answers by route, what agents do by tenant, what is said
// to Redis, and what is the same for all processes. The names and labels of the series are part of the service's interface; labels have few
// values: routes are patterns, tenants are those of the configuration, and no id or document is one. It serves profiles of the process too.
package metrics
