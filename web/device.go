package web

import (
	"bytes"
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

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/web/auth"
	"mooring/web/bind"
)

// The bounds of what a device sends.
const (
	maxDeviceBody = 8 << 10
	maxClientName = 100 // characters, of those that are shown
	maxCode       = 4 << 10
)

// codesInput is the body of a request for codes. A client_id and a scope, which other servers need, are taken and not looked at.
type codesInput struct {
	clientName string
	mayBeMissing
}

func (b *codesInput) members(o *bind.Object) {
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

// tokensInput is the body of a request for tokens.
type tokensInput struct{ grantType, deviceCode, refreshToken string }

func (b *tokensInput) members(o *bind.Object) {
	bind.Text(o, "grant_type", &b.grantType, maxCode)
	bind.Text(o, "device_code", &b.deviceCode, maxCode)
	bind.Text(o, "refresh_token", &b.refreshToken, maxCode)
	o.Texts(maxCode, "client_id", "scope")
}

// refused is the answer to a device that gets nothing (RFC 6749 §5.2).
type refused struct {
	Error       string `json:"error"`
	Description string `json:"error_description"`
}

// oauth makes a handler whose body may be a form and whose errors are as OAuth has them.
func oauth[B any, P bodyOf[B]](call func(s *Server, c *gin.Context, in P) (any, error)) handler {
	return func(s *Server, c *gin.Context) error {
		in := P(new(B))
		answer, err := any(nil), s.readDevice(c, in)
		if err == nil {
			answer, err = call(s, c, in)
		}
		if err != nil {
			writeRefusal(c, err)
			return err
		}
		c.JSON(http.StatusOK, answer)
		return nil
	}
}

func writeRefusal(c *gin.Context, err error) {
	refusal, ok := errors.AsType[*auth.Refusal](err)
	if ok {
		if refusal.RetryAfter > 0 {
			c.Header("Retry-After", strconv.Itoa(int(math.Ceil(refusal.RetryAfter.Seconds()))))
		}
		c.JSON(http.StatusBadRequest, refused{refusal.Code, refusal.Description})
		return
	}
	e := asError(err)
	switch status := responseTo(e.Code).status; {
	case status == http.StatusServiceUnavailable:
		c.Header("Retry-After", strconv.Itoa(int(retryAfter(e).Seconds())))
		c.JSON(status, refused{"temporarily_unavailable", e.Message})
	case status >= http.StatusInternalServerError:
		c.JSON(status, refused{"server_error", e.Message})
	case e.Code == placements.CodePacked:
		c.JSON(status, refused{"invalid_request", e.Message})
	default:
		c.JSON(http.StatusBadRequest, refused{"invalid_request", e.Message})
	}
}

// readDevice fills in with the request's body, which may be a form.
func (s *Server) readDevice(c *gin.Context, in body) error {
	if err := unpacked(c); err != nil {
		return err
	}
	c.Request.Body = http.MaxBytesReader(c.Writer, c.Request.Body, maxDeviceBody)
	if kind, _, _ := mime.ParseMediaType(c.GetHeader("Content-Type")); kind == "application/x-www-form-urlencoded" {
		request, err := formAsJSON(c.Request)
		if err != nil {
			return err
		}
		c.Request = request
	}
	return s.read(c, in)
}

// formAsJSON returns a request that carries, instead of a form, the JSON object of the same texts.
func formAsJSON(r *http.Request) (*http.Request, error) {
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
	text, err := encode(object)
	r = r.Clone(r.Context())
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	r.Header.Set("Content-Type", "application/json")
	return r, err
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

func startPairing(s *Server, c *gin.Context, in *codesInput) (any, error) {
	host := s.hosts[hostname(c.Request.Host)]
	made, err := s.rules.Load().pairing.Begin(c.Request.Context(), shownName(in.clientName), network(c.ClientIP()), host, s.now())
	if err != nil {
		return nil, err
	}
	page := s.address(c) + "/console/device"
	return codes{
		made.Device, made.User, page, page + "?user_code=" + made.User, int(made.Lifetime.Seconds()), made.Interval,
	}, nil
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

func issueTokens(s *Server, c *gin.Context, in *tokensInput) (any, error) {
	var issued *auth.Issued
	var err error
	pairing := s.rules.Load().pairing
	switch ctx := c.Request.Context(); {
	case in.grantType == grantDevice && in.deviceCode != "":
		issued, err = pairing.Collect(ctx, in.deviceCode, s.now())
	case in.grantType == "refresh_token" && in.refreshToken != "":
		issued, err = pairing.Renew(ctx, in.refreshToken, s.now())
	case in.grantType == grantDevice, in.grantType == "refresh_token", in.grantType == "":
		err = &auth.Refusal{Code: "invalid_request", Description: "Send grant_type, and device_code or refresh_token with it."}
	default:
		err = &auth.Refusal{
			Code: "unsupported_grant_type", Description: "grant_type is " + grantDevice + " or refresh_token.",
		}
	}
	if err != nil {
		return nil, err
	}
	return tokens{issued.Access, "Bearer", int(issued.Lifetime.Seconds()), issued.Refresh}, nil
}
