package tenants

import (
	"mooring/storage/journal"
	"mooring/storage/keys"
	"mooring/storage/redis"
)

// tenantKeys makes the keys of one tenant.
type tenantKeys keys.TenantKeys

func (r *Records) keys(tenant string) tenantKeys {
	return tenantKeys(keys.OfTenant(tenant, r.partitions))
}

// note adds an entry to the tenant's audit to a transaction.
func (k tenantKeys) note(tx *redis.Txn, e journal.Entry) error {
	return journal.Note(tx, keys.TenantKeys(k).Audit(), e)
}

// settings HASH: field of TenantSettings -> JSON value.
func (k tenantKeys) settings() string { return k.Prefix + "settings" }

// revoked ZSET: jti -> Unix seconds until which it must be remembered.
func (k tenantKeys) revoked() string { return k.Prefix + "revoked" }

// revocationsTold HASH: jti of each revoked token -> JSON of when and by whom; see revoke.lua.
func (k tenantKeys) revocationsTold() string { return k.revoked() + ":told" }

// idempotency HASH, expires: a POST under an Idempotency-Key, and what it made; digest is a hash of who sent which key.
func (k tenantKeys) idempotency(digest string) string { return k.Prefix + "idempotency:" + digest }

// keptAnswers ZSET, expires: "<bytes>:<digest>" of every answer that is kept for one caller -> ms when it was.
func (k tenantKeys) keptAnswers(who string) string { return k.Prefix + "keptAnswers:" + who }

// rate STRING, expires: the token bucket of a bearer token.
func (k tenantKeys) rate(token string) string { return k.Prefix + "rate:" + token }

// device STRING, expires: record.Device.
func (k tenantKeys) device(id string) string { return k.Prefix + "device:" + id }

// devicesOf ZSET: id of each device of an owner -> Unix seconds when it ends.
func (k tenantKeys) devicesOf(owner string) string { return k.Prefix + "devices:" + digestOf(owner) }

// madeKeys HASH: id of each key that a person has made -> record.Key.
func (k tenantKeys) madeKeys() string { return k.Prefix + "keys" }

// usedKeys HASH: id of each of them that was used -> ms when, about.
func (k tenantKeys) usedKeys() string { return k.madeKeys() + ":used" }

// users HASH: hash of an issuer and a subject of it -> which number that person has among those of the tenant; "last" -> the highest number.
func (k tenantKeys) users() string { return k.Prefix + "users" }

// pairingKeys makes the keys of the partition of pairings, which belong to no tenant yet.
type pairingKeys struct{}

const pairingPrefix = "mooring:{device}:"

// pairing STRING, expires: record.Pairing, by a hash of its device code.
func (pairingKeys) pairing(digest string) string { return pairingPrefix + "pairing:" + digest }

// userCode STRING, expires: the key of the pairing with that user code, until it is decided.
func (pairingKeys) userCode(code string) string { return pairingPrefix + "code:" + digestOf(code) }

// pending ZSET: key of each pairing that waits for a decision -> Unix seconds when it ends.
func (pairingKeys) pending() string { return pairingPrefix + "pending" }

// rate STRING, expires: the token bucket of an address.
func (pairingKeys) rate(address string) string { return pairingPrefix + "rate:" + digestOf(address) }

// hookRate STRING, expires: the token bucket of the requests to a hook, or of an address that sends any.
func hookRate(bucket string) string { return "mooring:{hook}:rate:" + bucket }

// sessionKeys makes the keys of the partition of sessions: a cookie does not say of which tenant it is.
type sessionKeys struct{}

const sessionPrefix = "mooring:{session}:"

// session STRING, expires: record.Session, by a hash of its cookie's value.
func (sessionKeys) session(secret string) string {
	return sessionPrefix + "session:" + digestOf(secret)
}

// signIn STRING, expires: record.SignIn, by a hash of its state.
func (sessionKeys) signIn(state string) string { return sessionPrefix + "signIn:" + digestOf(state) }

// ofHolder ZSET, expires: key of each session of a holder -> ms when it began.
func (sessionKeys) ofHolder(digest string) string { return sessionPrefix + "person:" + digest }

// rate STRING, expires: the token bucket of an address, or of a holder.
func (sessionKeys) rate(who string) string { return sessionPrefix + "rate:" + digestOf(who) }
