// Package code has the commands that keep assets as code: they sign in to a server and pull, validate, plan, apply and publish a folder over HTTP.
package code
