// Package tenants keeps what is known of a tenant beside its assets: its settings, the tokens that were revoked before they expired, how
// fast a token sends requests, the answers to requests under an Idempotency-Key, its devices, the keys that its people have made, and the sessions of its people in browsers.
package tenants
