package web

import (
	_ "embed"
	"net/http"

	"github.com/gin-gonic/gin"
)

// openAPI is the description of the interface, written by hand; spec_test.go holds it to the routes and to real answers.
//
//go:embed openapi.json
var openAPI []byte

// getSpec answers with the OpenAPI document.
func (s *Server) getSpec(c *gin.Context) error {
	answerJSON(c, openAPI)
	return nil
}

// getDocs answers with the same document as a page that people read.
func (s *Server) getDocs(c *gin.Context) error {
	// The page needs nothing but itself, and the browser holds it to that.
	c.Header("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'")
	c.Data(http.StatusOK, "text/html; charset=utf-8", s.docs)
	return nil
}
