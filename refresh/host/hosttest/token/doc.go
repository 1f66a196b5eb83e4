// Package token is the token endpoint of the fakes of services.
package token
