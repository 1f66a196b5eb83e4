package hook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"mooring/refresh/signing"
	"mooring/storage/record"
)

// Hook is where a sender tells that the data of a deployment has changed.
type Hook struct {
	ID         string
	Kind       Sender
	Deployment record.Deployment
	Schedule   string // the key of the one to run

	secrets [2][]byte // any may have signed
}

// Window is how far the time of a standard request may be from now, before or after.
const Window = 5 * time.Minute

// Keep is how long the names of deliveries are kept. It is longer than a standard request may be sent, and than senders go on sending one
// that was not answered.
const Keep = 24 * time.Hour

// Hooks are the hooks of a configuration, by their ids.
type Hooks struct {
	byID  map[string]Hook
	decoy Hook // for an id that none has: no request is signed for it
}

// New returns the hooks that a configuration lists.
func New(list []Config) (Hooks, error) {
	all := Hooks{byID: map[string]Hook{}, decoy: Hook{Kind: Standard, secrets: [2][]byte{unguessable(), unguessable()}}}
	for _, c := range list {
		h, err := c.read()
		if err != nil {
			return Hooks{}, fmt.Errorf("hook %q: %w", c.ID, err)
		}
		all.byID[h.ID] = h
	}
	return all, nil
}

// Delivery is a request whose sender knows the secret of its hook.
type Delivery struct {
	Hook
	Name string // the same whenever the sender sends the same again
	body []byte
	at   time.Time
}

// Verify returns the delivery that a request to the hook of that id makes at a time. Its error says why there is none, for the log: the
// sender must not learn whether there is such a hook, and takes as long to find out.
func (h Hooks) Verify(id string, at time.Time, header http.Header, body []byte) (Delivery, error) {
	found, ok := h.byID[id]
	if !ok {
		found = h.decoy
	}
	name, err := found.verify(at, header, body)
	if !ok {
		return Delivery{}, errors.New("no hook has this id")
	}
	return Delivery{Hook: found, Name: "hook " + id + "\n" + name, body: body, at: at}, err
}

func (h Hook) verify(at time.Time, header http.Header, body []byte) (name string, err error) {
	switch h.Kind {
	case DBT:
		return h.verifyBody(header, "Authorization", body)
	case Fivetran:
		return h.verifyBody(header, "X-Fivetran-Signature-256", body)
	}
	id, timestamp, signatures := only(header, signing.HeaderID), only(header, signing.HeaderTimestamp), only(header, signing.HeaderSignature)
	signed := false
	for _, secret := range h.secrets {
		signed = holds(signatures, signing.Sum(secret, id, timestamp, body)) || signed
	}
	switch {
	case id == "" || timestamp == "" || signatures == "":
		return "", fmt.Errorf("the headers %s, %s and %s are needed, each once",
			signing.HeaderID, signing.HeaderTimestamp, signing.HeaderSignature)
	case !signed:
		return "", errors.New("no signature is right")
	case !recent(timestamp, at):
		return "", fmt.Errorf("the timestamp %.20q is not within %s of now", timestamp, Window)
	}
	return id, nil
}

// verifyBody checks the HMAC-SHA256 of the body, in hex, in a header.
func (h Hook) verifyBody(header http.Header, field string, body []byte) (name string, err error) {
	sent, err := hex.DecodeString(only(header, field))
	signed := false
	for _, secret := range h.secrets {
		mac := hmac.New(sha256.New, secret)
		mac.Write(body)
		signed = hmac.Equal(sent, mac.Sum(nil)) || signed
	}
	if err != nil || !signed {
		return "", fmt.Errorf("the header %s is not the right signature", field)
	}
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:]), nil
}

// only returns the value of a field that is sent once; empty for any other: a proxy and this service might each read another one.
func only(header http.Header, field string) string {
	if values := header.Values(field); len(values) == 1 {
		return values[0]
	}
	return ""
}

// holds reports whether a list of signatures has that of sum.
func holds(list string, sum []byte) (found bool) {
	for one := range strings.SplitSeq(list, " ") {
		encoded, current := strings.CutPrefix(one, signing.Version)
		sent, err := base64.StdEncoding.DecodeString(encoded)
		found = current && err == nil && hmac.Equal(sent, sum) || found
	}
	return found
}

// recent reports whether a time in Unix seconds is within Window of now.
func recent(timestamp string, now time.Time) bool {
	seconds, err := strconv.ParseUint(timestamp, 10, 40) // 34,000 years
	return err == nil && now.Sub(time.Unix(int64(seconds), 0)).Abs() <= Window
}
