// Package keys makes the names of what the storage keeps in Redis, each with its type: of partitions, tenants and deployments, and in them of
// records, their indexes and locks, runs, what is due and events. What package tenants alone keeps, it names itself, below these prefixes.
//
// All keys of a tenant carry the hash tag of the tenant's partition, so that one script may touch anything of a tenant and a cluster keeps
// it on one node.
package keys
