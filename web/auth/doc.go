// Package auth finds out who calls. A caller is what a token says: a tenant, a user, roles, actions. A keyring signs tokens with its first
// key and verifies them with any; verified tokens are cached until they expire, revoked ones are refused within seconds. A caller carries
// the grounds of its rights, such as the key of its token, so that what was begun with a token ends with the key, too. An origin is where
// a browser's page comes from that calls.
//
// A device, such as the task pane or mooring login, gets tokens by pairing: it asks for a code, a person approves the code with a token of
// their own, and the device collects an access token and a refresh token. A browser gets a session in the place of a token: the server keeps
// it, a cookie names it, and only pages of our own act with it. The package knows neither routes nor handlers, and every check is asked with
// the time.
package auth
