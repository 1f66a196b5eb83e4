// Package account is the room of an account and of who acts in it: what a token may do, signing in and out in browsers, with a key or by a
// provider of identities, pairing devices and signing them out, making keys, revoking
// tokens, and the settings of a tenant.
package account
