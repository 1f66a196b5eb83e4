package signing

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
)

// The headers of a signed request.
const (
	HeaderID        = "Webhook-Id"
	HeaderTimestamp = "Webhook-Timestamp" // Unix seconds
	HeaderSignature = "Webhook-Signature" // see Version
)

// Version stands before each signature in its header; several are separated by spaces.
const Version = "v1,"

// leastSecret is the least length of a secret in bytes.
const leastSecret = 24

// secretPrefix begins the written form of a secret, which is base64 then.
const secretPrefix = "whsec_"

// Secret reads a secret of at least 24 bytes, written as it is or as whsec_<base64>. The error does not hold it.
func Secret(text string) ([]byte, error) {
	encoded, is := strings.CutPrefix(text, secretPrefix)
	if !is {
		return Plain(text)
	}
	key, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil, errors.New("what follows whsec_ is not base64")
	}
	return Plain(string(key))
}

// Plain is Secret for one that is only written as it is.
func Plain(text string) ([]byte, error) {
	if len(text) < leastSecret {
		return nil, errors.New("needs at least 24 bytes")
	}
	return []byte(text), nil
}

// Sum returns the HMAC-SHA256 of a request under a secret.
func Sum(secret []byte, id, timestamp string, body []byte) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	return mac.Sum(nil)
}

// Signature returns the value of HeaderSignature.
func Signature(secret []byte, id, timestamp string, body []byte) string {
	return Version + base64.StdEncoding.EncodeToString(Sum(secret, id, timestamp, body))
}
