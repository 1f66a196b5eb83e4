// Package notify delivers the events of deployments to webhooks, signed as Standard Webhooks says: each at least once, in their order.
package notify
