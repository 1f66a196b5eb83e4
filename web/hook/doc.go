// Package hook decides about requests to inbound hooks: who sent one, whether it says that data has arrived, and what names it, so that it
// counts once. It is pure: what it decides on is the configuration, the request's header and body, and the time.
//
// A hook of the kind standard is signed as Standard Webhooks says. dbt and Fivetran sign the body alone: what they send is named by its
// digest, and what is older than such names are kept is of no account.
package hook
