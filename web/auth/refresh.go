package auth

import (
	"errors"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// RefreshToken is what a device renews its tokens with. Nothing secret of it is stored: the signature vouches for it, and the device's
// record says which generation is good.
type RefreshToken struct {
	Tenant     string
	Device     string
	Generation int64 // from 1 on
	Expires    time.Time
}

// refreshClaims is the payload of a refresh token. It has no tenant as claims has one, so that it never passes for an access token.
type refreshClaims struct {
	jwt.RegisteredClaims
	Of         string `json:"of"` // the tenant
	Generation int64  `json:"generation"`
}

// SignRefresh returns the token. All that the first key signs of the same token are equal.
func (k *Keyring) SignRefresh(r RefreshToken) (string, error) {
	return k.sign(refreshClaims{
		RegisteredClaims: jwt.RegisteredClaims{Issuer: k.issuer, ID: r.Device, ExpiresAt: jwt.NewNumericDate(r.Expires)},
		Of:               r.Tenant,
		Generation:       r.Generation,
	})
}

// VerifyRefresh checks a refresh token's signature, issuer and expiry.
func (k *Keyring) VerifyRefresh(token string, now time.Time) (RefreshToken, error) {
	var cl refreshClaims
	if _, err := k.parse(token, &cl, now); err != nil {
		return RefreshToken{}, err
	}
	if cl.Of == "" || cl.ID == "" || cl.Generation < 1 {
		return RefreshToken{}, errors.New("this is no refresh token")
	}
	return RefreshToken{Tenant: cl.Of, Device: cl.ID, Generation: cl.Generation, Expires: cl.ExpiresAt.Time}, nil
}
