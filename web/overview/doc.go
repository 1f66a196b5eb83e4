// Package overview answers what the people who run the service ask of a whole deployment or account: agents, the audit, quotas, figures. It
// knows requests, and nothing of the router.
package overview
