// Package keys makes the names of what several packages of the storage keep in Redis: partitions, tenants and deployments, and in them
// reports, schedules, runs, what is due and events. What only one package keeps, it names itself in its own keys.go, below these prefixes.
//
// All keys of a tenant carry the hash tag of the tenant's partition, so that one script may touch anything of a tenant and a cluster keeps
// it on one node.
package keys
