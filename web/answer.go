package web

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/gin-gonic/gin"

	"mooring/storage"
)

// jsonType is the Content-Type of answers that are ready-made bytes.
const jsonType = "application/json; charset=utf-8"

// answerJSON answers with ready-made JSON.
func answerJSON(c *gin.Context, body []byte) {
	c.Header("Content-Length", strconv.Itoa(len(body))) // else a long answer goes out in chunks
	c.Data(http.StatusOK, jsonType, body)
}

// sayEffect tells what a write did (decisions.md §1); a read does nothing worth telling.
func sayEffect(c *gin.Context, did storage.Effect) {
	if !reads(c) {
		c.Header("X-Mooring-Result", did.String())
	}
}

// reads reports whether the request is one of the methods that change nothing.
func reads(c *gin.Context) bool {
	return c.Request.Method == http.MethodGet || c.Request.Method == http.MethodHead
}

// answerDeleted answers to a deletion with the id of what is gone.
func answerDeleted(c *gin.Context, id int64) {
	c.JSON(http.StatusOK, gin.H{"id": id})
}

// encode gives the JSON of v with nothing escaped for HTML, which no client of a JSON interface needs.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
