package placements

import (
	"regexp"

	"mooring/placements"
	"mooring/web/bind"
)

// nonceMember names the nonce of a spreadsheet, in a connect as in a link.
func nonceMember(o *bind.Object, into *string) { bind.Text(o, "nonce", into, maxNonce, nonceRule) }

// maxNonce is how long one may be, and aNonce its form.
const maxNonce = 64

var aNonce = regexp.MustCompile(`^[A-Za-z0-9_-]{16,64}$`)

func nonceRule(sent string) (placements.Code, string) {
	if !aNonce.MatchString(sent) {
		return placements.CodeInvalid, "must be 16 to 64 letters, digits, - and _"
	}
	return "", ""
}
