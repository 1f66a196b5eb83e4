// Package gate admits requests: it finds whose token or session a request has, whether its keys, issuers and grounds are trusted by the rules
// as they are now, and whether the tenant is served under the host name that was asked. Rules may be told anew while a server runs.
package gate
