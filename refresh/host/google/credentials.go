package google

import (
	"cmp"
	"context"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/jwt"
)

// account is what a credentials file holds: a service account's key, or an authorized user's refresh token.
type account struct {
	Type         string `json:"type"`
	ProjectID    string `json:"project_id"`
	ClientEmail  string `json:"client_email"`
	PrivateKeyID string `json:"private_key_id"`
	PrivateKey   string `json:"private_key"`
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	RefreshToken string `json:"refresh_token"`
	TokenURI     string `json:"token_uri"`
	QuotaProject string `json:"quota_project_id"`
}

const (
	serviceAccount = "service_account"
	authorizedUser = "authorized_user"
	tokenURI       = "https://oauth2.googleapis.com/token" // #nosec G101 -- an address
)

// parseGoogleCredentials reads a credentials file. Its errors name the member that is wrong and hold nothing of the file.
func parseGoogleCredentials(data []byte) (account, error) {
	var a account
	if json.Unmarshal(data, &a) != nil {
		return a, errors.New("credentialsFile: not a JSON object such as the console's key file")
	}
	var needed map[string]string
	switch a.Type {
	case serviceAccount:
		needed = map[string]string{"client_email": a.ClientEmail, "private_key": a.PrivateKey}
	case authorizedUser:
		needed = map[string]string{"client_id": a.ClientID, "client_secret": a.ClientSecret, "refresh_token": a.RefreshToken}
	default:
		return a, fmt.Errorf("credentialsFile: type is %q, want %s or %s", a.Type, serviceAccount, authorizedUser)
	}
	for member, value := range needed {
		if value == "" {
			return a, fmt.Errorf("credentialsFile: %s is missing", member)
		}
	}
	if a.Type == serviceAccount && !isRSAKey(a.PrivateKey) {
		return a, errors.New("credentialsFile: private_key is no RSA key in PEM form")
	}
	if a.TokenURI == "" {
		a.TokenURI = tokenURI
	}
	return a, nil
}

// isRSAKey reports whether text is a private key that can sign for a service account.
func isRSAKey(text string) bool {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return false
	}
	if _, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return true
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	_, isRSA := key.(*rsa.PrivateKey)
	return err == nil && isRSA
}

// Tokens makes a source whose first token is a new one.
func (a account) tokens(ctx context.Context) oauth2.TokenSource {
	if a.Type == serviceAccount {
		c := jwt.Config{
			Email: a.ClientEmail, PrivateKey: []byte(a.PrivateKey), PrivateKeyID: a.PrivateKeyID,
			Scopes: []string{scope}, TokenURL: a.TokenURI,
		}
		return c.TokenSource(ctx)
	}
	c := oauth2.Config{
		ClientID: a.ClientID, ClientSecret: a.ClientSecret,
		Endpoint: oauth2.Endpoint{TokenURL: a.TokenURI, AuthStyle: oauth2.AuthStyleInParams},
	}
	return c.TokenSource(ctx, &oauth2.Token{RefreshToken: a.RefreshToken})
}

// user names whose quota a request counts against.
func (a account) user() string {
	if a.Type == serviceAccount {
		return a.ClientEmail
	}
	// A client has many users, told apart by their tokens; a digest of one is no secret.
	return fmt.Sprintf("%s:%x", a.ClientID, sha256.Sum256([]byte(a.RefreshToken)))
}

// header is what every request carries: the project that is to bear its quota, where that is not the credentials' own.
func (a account) header() http.Header {
	if a.QuotaProject == "" {
		return nil
	}
	return http.Header{"X-Goog-User-Project": {a.QuotaProject}}
}

// project names the project whose quota counts; a client's id begins with its project's number.
func (a account) project() string {
	if project := cmp.Or(a.QuotaProject, a.ProjectID); project != "" {
		return project
	}
	number, _, _ := strings.Cut(a.ClientID, "-")
	return number
}

// share is what a person does to open a document to us.
func (a account) share() string {
	if a.Type == serviceAccount {
		return fmt.Sprintf("share it with %s as an editor.", a.ClientEmail)
	}
	return "share it as an editor with the account whose refresh token the configuration names."
}
