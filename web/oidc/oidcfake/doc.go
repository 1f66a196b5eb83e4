// Package oidcfake is issuers of identities for tests. Each checks what it is sent as strictly as the real ones do, and vouches with whatever
// claims a test says.
package oidcfake
