package account

import (
	"context"
	"errors"
	"io"
	"math"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/web/auth"
	"mooring/web/bind"
	"mooring/web/request"
)

// The bounds of what a device sends.
const (
	maxDeviceBody = 8 << 10
	maxClientName = 100 // characters, of those that are shown
	maxCode       = 4 << 10
)

// codesBody is the body of a request for codes. A client_id and a scope, which other servers need, are taken and not looked at.
type codesBody struct {
	clientName string
	request.MayBeMissing
}

// Members implements request.Body.
func (b *codesBody) Members(o *bind.Object) {
	bind.Text(o, "client_name", &b.clientName, maxCode)
	o.Texts(maxCode, "client_id", "scope")
}

// shownName is a name as a page shows it: nothing in it turns the direction of text, hides a part or breaks the line.
func shownName(sent string) string {
	name := []rune(strings.TrimSpace(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, sent)))
	switch {
	case len(name) == 0:
		return "A device without a name"
	case len(name) > maxClientName:
		return string(name[:maxClientName-1]) + "…"
	}
	return string(name)
}

// tokensBody is the body of a request for tokens.
type tokensBody struct{ grantType, deviceCode, refreshToken string }

// Members implements request.Body.
func (b *tokensBody) Members(o *bind.Object) {
	bind.Text(o, "grant_type", &b.grantType, maxCode)
	bind.Text(o, "device_code", &b.deviceCode, maxCode)
	bind.Text(o, "refresh_token", &b.refreshToken, maxCode)
	o.Texts(maxCode, "client_id", "scope")
}

// oauthError is the answer to a device that gets nothing (RFC 6749 §5.2).
type oauthError struct {
	Error       string `json:"error"`
	Description string `json:"error_description"`
}

// refuse answers with an error as OAuth has them, and returns it for the log.
func refuse(c *request.Call, err error) error {
	writeRefusal(c, err)
	return err
}

func writeRefusal(c *request.Call, err error) {
	refusal, ok := errors.AsType[*auth.Refusal](err)
	if ok {
		if refusal.RetryAfter > 0 {
			c.Set("Retry-After", strconv.Itoa(int(math.Ceil(refusal.RetryAfter.Seconds()))))
		}
		c.JSON(http.StatusBadRequest, oauthError{refusal.Code, refusal.Description})
		return
	}
	e := request.AsError(err)
	switch status := request.Status(e.Code); {
	case status == http.StatusServiceUnavailable:
		c.Set("Retry-After", strconv.Itoa(int(request.RetryAfter(e).Seconds())))
		c.JSON(status, oauthError{"temporarily_unavailable", e.Message})
	case status >= http.StatusInternalServerError:
		c.JSON(status, oauthError{"server_error", e.Message})
	case e.Code == placements.CodePacked:
		c.JSON(status, oauthError{"invalid_request", e.Message})
	default:
		c.JSON(http.StatusBadRequest, oauthError{"invalid_request", e.Message})
	}
}

// readForm fills in with the request's body, which may be a form.
func readForm(c *request.Call, in request.Body) error {
	if err := c.Unpacked(); err != nil {
		return err
	}
	c.Request.Body = http.MaxBytesReader(c.Writer(), c.Request.Body, maxDeviceBody)
	if kind, _, _ := mime.ParseMediaType(c.Header("Content-Type")); kind == "application/x-www-form-urlencoded" {
		text, err := formAsJSON(c.Request)
		if err != nil {
			return err
		}
		c.Request = c.Request.Clone(c.Request.Context())
		c.Request.Header.Set("Content-Type", "application/json")
		c.Replace(text)
	}
	return c.Read(in)
}

// formAsJSON returns, instead of the form that a request has, the JSON object of the same texts.
func formAsJSON(r *http.Request) ([]byte, error) {
	const wrong = "The body is no form in UTF-8 of at most 8 KiB in which each name stands once: send it again as one."
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, placements.Errorf(placements.CodeMalformed, wrong).Because(err)
	}
	form, err := url.ParseQuery(string(raw))
	if err != nil {
		return nil, placements.Errorf(placements.CodeMalformed, wrong).Because(err)
	}
	object := map[string]string{}
	for name, values := range form {
		if len(values) > 1 || !utf8.ValidString(name+values[0]) { // RFC 6749 §3.2
			return nil, placements.Errorf(placements.CodeMalformed, wrong)
		}
		object[name] = values[0]
	}
	return record.EncodeBytes(object)
}

// codes is the answer to a device that wants to be paired (RFC 8628 §3.2).
type codes struct {
	DeviceCode              string `json:"device_code"`
	UserCode                string `json:"user_code"`
	VerificationURI         string `json:"verification_uri"`
	VerificationURIComplete string `json:"verification_uri_complete"`
	ExpiresIn               int    `json:"expires_in"` // seconds
	Interval                int    `json:"interval"`   // seconds
}

// begin gives codes to a device that wants to be paired.
func (d *devices) begin(c *request.Call) error {
	var in codesBody
	if err := readForm(c, &in); err != nil {
		return refuse(c, err)
	}
	host := d.gate.Host(c.Request)
	made, err := d.gate.Pairing().Begin(c.Request.Context(), shownName(in.clientName), request.Network(c), host, d.now())
	if err != nil {
		return refuse(c, err)
	}
	page := d.gate.Address(c.Request) + "/console/device"
	c.JSON(http.StatusOK, codes{
		made.Device, made.User, page, page + "?user_code=" + made.User, int(made.Lifetime.Seconds()), made.Interval,
	})
	return nil
}

// tokens is what a device gets (RFC 6749 §5.1).
type tokens struct {
	AccessToken  string `json:"access_token"`
	TokenType    string `json:"token_type"`
	ExpiresIn    int    `json:"expires_in"` // seconds
	RefreshToken string `json:"refresh_token"`
}

// grantDevice is the grant_type of a device that polls (RFC 8628 §3.4).
const grantDevice = "urn:ietf:params:oauth:grant-type:device_code"

// issue gives tokens to a device that was let in.
func (d *devices) issue(c *request.Call) error {
	var in tokensBody
	if err := readForm(c, &in); err != nil {
		return refuse(c, err)
	}
	issued, err := d.grant(c.Request.Context(), in)
	if err != nil {
		return refuse(c, err)
	}
	c.JSON(http.StatusOK, tokens{issued.Access, "Bearer", int(issued.Lifetime.Seconds()), issued.Refresh})
	return nil
}

// grant makes the tokens that a device asks for.
func (d *devices) grant(ctx context.Context, in tokensBody) (*auth.Issued, error) {
	switch pairing := d.gate.Pairing(); {
	case in.grantType == grantDevice && in.deviceCode != "":
		return pairing.Collect(ctx, in.deviceCode, d.now())
	case in.grantType == "refresh_token" && in.refreshToken != "":
		return pairing.Renew(ctx, in.refreshToken, d.now())
	case in.grantType == grantDevice, in.grantType == "refresh_token", in.grantType == "":
		return nil, &auth.Refusal{Code: "invalid_request", Description: "Send grant_type, and device_code or refresh_token with it."}
	}
	return nil, &auth.Refusal{
		Code: "unsupported_grant_type", Description: "grant_type is " + grantDevice + " or refresh_token.",
	}
}
