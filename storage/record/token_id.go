package record

import "strings"

// A token that the service has signed is named by its jti. That of another issuer is named by its issuer, a space and its jti, which alone
// could be the jti of another user's token. What was begun with such a token before issuers were part of the name has its jti alone.

// TokenOf is the id of a token of another issuer.
func TokenOf(issuer, jti string) string { return issuer + " " + jti }

// JTI returns the jti of a token's id, by which people know it.
func JTI(id string) string { return id[strings.LastIndexByte(id, ' ')+1:] }

// IssuerOf returns the issuer in a token's id; empty when it names none.
func IssuerOf(id string) string { return id[:max(strings.LastIndexByte(id, ' '), 0)] }
