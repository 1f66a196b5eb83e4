package notify

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"mooring/refresh/signing"
)

// Webhook receives the events of its deployment that told names: runs that fail permanently, runs that succeed again, and cells
// edited by hand that a run keeps, until none is left. Deliveries are signed as Standard Webhooks says.
type Webhook struct {
	URL    string
	Secret []byte // of HMAC-SHA256
}

// The rhythm of deliveries. An endpoint that does not answer with 2xx is tried again, less and less often, for deliverFor.
const (
	deliverEvery   = time.Second
	deliverTimeout = 10 * time.Second
	deliverFor     = 24 * time.Hour
	deliverBatch   = 50
	confirmLimit   = 2 * time.Second
	firstPatience  = 15 * time.Second // longer than a delivery may take
	mostPatience   = time.Hour
)

// Parse reads a webhook as the configuration has it: an http or https URL, and a secret of at least 24 bytes, plain or as
// whsec_<base64>. Errors begin with the key at fault and do not hold the secret.
func Parse(address, secret string) (Webhook, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return Webhook{}, errors.New("url: needs an http or https address")
	}
	key, err := signing.Secret(secret)
	if err != nil {
		return Webhook{}, fmt.Errorf("secret: %w", err)
	}
	return Webhook{URL: address, Secret: key}, nil
}

// Name identifies the webhook's subscription: a new address is a new one.
func (w Webhook) Name() string {
	sum := sha256.Sum256([]byte(w.URL))
	return hex.EncodeToString(sum[:8])
}

// sign returns the header of a delivery.
func (w Webhook) sign(id string, at time.Time, body []byte) http.Header {
	timestamp := strconv.FormatInt(at.Unix(), 10)
	return http.Header{
		"Content-Type":          {"application/json"},
		"User-Agent":            {"Mooring"},
		signing.HeaderID:        {id},
		signing.HeaderTimestamp: {timestamp},
		signing.HeaderSignature: {signing.Signature(w.Secret, id, timestamp, body)},
	}
}
