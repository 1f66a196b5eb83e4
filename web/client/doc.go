// Package client calls the HTTP interface. Everything in client.gen.go is generated from web/openapi.json, so that the client has every
// operation with the names of the document; New adds the token, and makes a [ResponseError] of an answer that is an error.
//
// After a change of web/openapi.json, generate it again with go generate ./web/client: that writes web/interface.d.ts too, the shapes that the
// modules' comments name.
package client

//go:generate go tool oapi-codegen -config oapi-codegen.yaml -o client.gen.go ../openapi.json
//go:generate go test -tags nomsgpack -run TestTheModulesShapesAreCurrent . -update
