// Package overview answers what the people who run the service ask of a whole deployment or account: lists with filters, figures, and the
// actions on many assets at once. It knows requests, and nothing of the router.
package overview
