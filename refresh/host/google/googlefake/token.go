package googlefake

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// The account that the fake knows.
const (
	Email        = "mooring@fake.iam.gserviceaccount.com"
	clientID     = "1234-fake.apps.googleusercontent.com"
	clientSecret = "fake-secret"
	refreshToken = "fake-refresh-token"
	scope        = "https://www.googleapis.com/auth/spreadsheets"
)

// ServiceAccount is the content of a credentials file of the fake's service account.
func (s *Server) ServiceAccount() []byte {
	key, err := x509.MarshalPKCS8PrivateKey(s.key)
	if err != nil {
		panic(err) // an RSA key always has this form
	}
	return s.credentials(map[string]string{
		"type": "service_account", "project_id": "fake", "private_key_id": "key1", "client_email": Email,
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})),
	})
}

// AuthorizedUser is the content of a credentials file with a refresh token.
func (s *Server) AuthorizedUser() []byte {
	return s.credentials(map[string]string{
		"type": "authorized_user", "client_id": clientID, "client_secret": clientSecret, "refresh_token": refreshToken,
	})
}

func (s *Server) credentials(members map[string]string) []byte {
	members["token_uri"] = s.URL + "/token"
	data, err := json.Marshal(members)
	if err != nil {
		panic(err) // strings always have a JSON form
	}
	return data
}

// grant checks a request for an access token: it has a signed assertion, or a refresh token.
func (s *Server) grant(r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return err
	}
	switch r.PostForm.Get("grant_type") {
	case "urn:ietf:params:oauth:grant-type:jwt-bearer":
		return s.checkAssertion(r.PostForm.Get("assertion"))
	case "refresh_token":
		for name, want := range map[string]string{"client_id": clientID, "client_secret": clientSecret, "refresh_token": refreshToken} {
			if r.PostForm.Get(name) != want {
				return fmt.Errorf("wrong %s", name)
			}
		}
		return nil
	}
	return errors.New("unknown grant_type")
}

// checkAssertion checks a JWT's signature and claims (RFC 7523).
func (s *Server) checkAssertion(assertion string) error {
	signed, signature, _ := cutLast(assertion, ".")
	mac, err := base64.RawURLEncoding.DecodeString(signature)
	if err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(signed))
	if err := rsa.VerifyPKCS1v15(&s.key.PublicKey, crypto.SHA256, sum[:], mac); err != nil {
		return err
	}
	_, payload, _ := strings.Cut(signed, ".")
	data, err := base64.RawURLEncoding.DecodeString(payload)
	if err != nil {
		return err
	}
	return s.checkClaims(data)
}

func (s *Server) checkClaims(data []byte) error {
	var claims struct {
		Iss, Aud, Scope, Sub string
		Iat, Exp             int64
	}
	if err := json.Unmarshal(data, &claims); err != nil {
		return err
	}
	switch now := time.Now().Unix(); {
	case claims.Iss != Email:
		return errors.New("wrong iss")
	case claims.Aud != s.URL+"/token":
		return errors.New("wrong aud")
	case claims.Sub != "": // a user for whom the account would act
		return errors.New("unauthorized_client")
	case claims.Scope != scope:
		return errors.New("wrong scope")
	case claims.Iat > now+60 || claims.Exp < now || claims.Exp > claims.Iat+3600:
		return errors.New("wrong times")
	}
	return nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
