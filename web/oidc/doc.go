// Package oidc signs people in by a provider of identities (OpenID Connect Core 1.0, the code flow with PKCE): it says where to send a
// person, and for whom the provider vouches when the person comes back. A configuration turns the provider's claims into a tenant, a user,
// actions and roles. An [Issuer] verifies the tokens that another service has signed, by the keys that it publishes (RFC 7517). The package
// knows neither sessions nor cookies.
package oidc
