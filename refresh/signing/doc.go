// Package signing signs webhooks as Standard Webhooks (https://www.standardwebhooks.com) says: those that are sent, and those that are
// received.
package signing
