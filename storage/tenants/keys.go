package tenants

import "mooring/storage/keys"

// tenantKeys makes the keys of one tenant.
type tenantKeys keys.Tenant

func (r *Records) keys(tenant string) tenantKeys {
	return tenantKeys(keys.OfTenant(tenant, r.partitions))
}

// settings HASH: field of TenantSettings -> JSON value.
func (k tenantKeys) settings() string { return k.Prefix + "settings" }

// revoked ZSET: jti -> Unix seconds until which it must be remembered.
func (k tenantKeys) revoked() string { return k.Prefix + "revoked" }

// idempotency HASH, expires: a POST under an Idempotency-Key; digest is a hash of who sent which key.
func (k tenantKeys) idempotency(digest string) string { return k.Prefix + "idempotency:" + digest }

// keptAnswers ZSET, expires: "<bytes>:<digest>" of every answer that is kept for one caller -> ms when it was.
func (k tenantKeys) keptAnswers(who string) string { return k.Prefix + "keptAnswers:" + who }

// rate STRING, expires: the token bucket of a bearer token.
func (k tenantKeys) rate(token string) string { return k.Prefix + "rate:" + token }
