// Package archive copies tenants from Redis into a file, see storage/backup, and from a file into Redis.
//
// A copy is of one instant although servers and agents go on writing: all keys are copied while the server tells which of them change;
// those are copied again, until none did. See Saver.Save.
//
// What a file does not have, see keys.BackupOf: locks and leases, claims of agents and the queues, since nothing holds them where the file
// is restored; token buckets, answers kept for an Idempotency-Key, plans that wait to be applied and plans of add-ins' runs, since they are
// of minutes that are over; indexes that are made of the rest anew. Sessions of browsers, pairings, agents and quotas are of no tenant and
// stay out too: people sign in again. Devices are in a file only so that a restore revokes them. Which keys people have made is merged with what
// the storage knows of that: a key is good by its signature, and none of them may be unknown.
package archive
