// Package histories holds a test that has clients send random requests to three servers of the built program on one Redis or a cluster, while
// servers are killed and paused, connections are cut and the primary of the cluster's shard changes places with a replica, and decides whether
// everything that was answered can have happened one request after the other, each at one instant between its call and its answer: whether the
// interface is linearizable. A request without an answer may have been carried out at any time after its call, or never. scripts/histories sends
// as many requests as one wants; a smaller number is a step of scripts/test.
package histories
