// Package redis knows Redis and nothing of what is kept there: how a server is reached (one, a cluster, one behind sentinels, or one inside
// this process with its snapshot), what its errors mean, how scripts are run and their replies read, token buckets, and mutexes by key.
//
// Words: a pipelined client sends the commands that wait for a server in one batch. A silent server accepts commands and does not answer.
package redis
