// Package retryafter reads the header with which a service asks its clients to wait.
package retryafter
