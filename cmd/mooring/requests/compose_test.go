//go:build unix

package requests

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// header is one line of the head of a request.
type header struct{ name, value string }

// request is one as it goes over the wire.
type request struct {
	operation *operation
	as        string // who sends it
	method    string
	target    string
	headers   []header
	body      []byte
	sent      int  // how many bytes of the body are sent; the rest never comes
	chunked   bool // the body goes in chunks
	leave     bool // the client goes away before the answer
	odd       bool // it is none that a client sends, so that the connection is not used again
}

// compose makes a request for an operation by somebody: a valid one, or one with something odd about it.
func (m maker) compose(o *operation, by person, deployment int64) *request {
	q := &request{operation: o, as: by.name, method: o.method, headers: []header{{"Host", "mooring.test"}}}
	if by.token != "" {
		q.headers = append(q.headers, header{"Authorization", "Bearer " + by.token})
	}
	q.target = m.path(o, deployment) + m.query(o)
	if o.body != nil {
		q.body = m.body(o)
		q.headers = append(q.headers, header{"Content-Type", "application/json"})
	}
	q.sent = len(q.body)
	if m.calm {
		return q
	}
	m.addHeaders(q)
	if q.odd = m.chance(12); q.odd {
		m.oddRequest(q)
	}
	return q
}

func (m maker) path(o *operation, deployment int64) string {
	segments := strings.Split(o.path, "/")
	for i, segment := range segments {
		name := strings.Trim(segment, "{}")
		switch {
		case name == segment:
		case name == "deploymentId":
			segments[i] = strconv.FormatInt(deployment, 10)
		default:
			segments[i] = url.PathEscape(m.parameter(name))
		}
		if name != segment && !m.calm && m.chance(6) {
			segments[i] = m.oddSegment()
		}
	}
	return strings.Join(segments, "/")
}

// parameter is a value for a parameter of a path.
func (m maker) parameter(name string) string {
	if value := m.exact[name]; value != "" {
		return value
	}
	switch name {
	case "page":
		return pick(m, "console", "placements", "refreshing", "operation", "none")
	case "file":
		return pick(m, "style.css", "docs.css", "none")
	case "hookId":
		return pick(m, "loaded", "loaded", "none")
	}
	if v, ok := m.named(name); ok {
		return fmt.Sprint(v)
	}
	return "1"
}

var oddSegments = []string{
	"0", "-1", "1.0", "01", "+1", "99999999999999999999", "abc", "%2F", "%00", "%ff", "..", ".", "%2e%2e", "%20", "%", "%zz", "%e2%82", "%F0%9F%A6%80", "a%2Fb",
	"", "null", "*", "1;x=1", "1%0d%0aX:y", "é", "%25", "~", "$(id)", "by-slug", "by-public-id",
}

func (m maker) oddSegment() string {
	if m.chance(4) {
		return strings.Repeat("a", pick(m, 256, 4000, 70_000))
	}
	return oddSegments[m.IntN(len(oddSegments))]
}

// query is the query of the target with its question mark, or nothing.
func (m maker) query(o *operation) string {
	var parts []string
	for _, p := range o.parameters {
		if p.In != openapi3.ParameterInQuery || m.calm && !p.Required || !m.calm && !m.chance(30) {
			continue
		}
		value := url.QueryEscape(m.queryValue(p))
		if !m.calm && m.chance(12) {
			value = m.oddQueryValue()
		}
		parts = append(parts, p.Name+"="+value)
		if !m.calm && m.chance(4) {
			parts = append(parts, p.Name+"="+m.oddQueryValue())
		}
	}
	if !m.calm && m.chance(3) {
		parts = append(parts, pick(m, "unknown=1", "=", "&&", "a", "%zz=1", "first", "a=%zz", ";", "first=1;after=2", "__proto__=1"))
	}
	if len(parts) == 0 {
		return ""
	}
	return "?" + strings.Join(parts, "&")
}

func (m maker) queryValue(p *openapi3.Parameter) string {
	switch p.Name {
	case "first":
		return strconv.Itoa(pick(m, 1, 2, 20, 100))
	case "after":
		return m.known.one(m, "after", "eyJpIjoxfQ")
	case "project":
		return "finance"
	}
	switch v := m.value(p.Name, p.Schema.Value, 0).(type) {
	case []any:
		return "reports"
	default:
		return fmt.Sprint(v)
	}
}

func (m maker) oddQueryValue() string {
	if m.chance(5) {
		return strings.Repeat("a", pick(m, 256, 5000, 70_000))
	}
	return pick(m, "", "0", "-1", "101", "1e9", "99999999999999999999", "abc", "null", "true", "%00", "%ff", "%zz", "*", "%F0%9F%A6%80", "a,b", "2026-13-01T00:00:00Z",
		"2026-11-22", "eyJpIjoxfQ", "e30", "bnVsbA", "W10", "eyJpIjotMX0", "%5B%5D", "1%202", "0x10")
}

// body is the body of an operation: its example or one by its schema, and then perhaps damaged.
func (m maker) body(o *operation) []byte {
	if m.calm {
		text, _ := json.Marshal(o.example) // which was read from JSON
		return text
	}
	var value any
	if o.example != nil && m.chance(60) {
		value = m.filled("", clone(o.example))
	} else {
		value = m.value("", o.body, 0)
	}
	if m.chance(45) {
		value = plain(value)
		for range 1 + m.IntN(3) {
			value = m.mutated(value)
		}
	}
	body, err := json.Marshal(value)
	if err != nil {
		return fmt.Append(nil, err) // a token that is none; no body is worse than this
	}
	if m.chance(6) {
		return m.damaged(body)
	}
	return body
}

// plain is a made value as one that was read: of maps, lists and plain values.
func plain(value any) any {
	if text, err := json.Marshal(value); err == nil {
		var read any
		if json.Unmarshal(text, &read) == nil {
			return read
		}
	}
	return value
}

// filled puts values that are known in the place of some in an example.
func (m maker) filled(name string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range sortedKeys(v) {
			v[key] = m.filled(key, v[key])
		}
	case []any:
		for i := range v {
			v[i] = m.filled("", v[i])
		}
	default:
		if known, ok := m.named(name); ok && m.chance(60) {
			return known
		}
	}
	return value
}

// addHeaders adds the headers that operations describe, and now and then one that is odd.
func (m maker) addHeaders(q *request) {
	for _, p := range q.operation.parameters {
		if p.In == openapi3.ParameterInHeader && m.chance(30) {
			q.headers = append(q.headers, header{p.Name, m.headerValue(p.Name)})
		}
	}
	if m.chance(8) {
		q.headers = append(q.headers, pick(m,
			header{"Accept", "text/html"}, header{"Accept", "*/*;q=0"}, header{"Accept-Encoding", "gzip"}, header{"Accept-Encoding", "br;q=1, *;q=0"},
			header{"Accept-Language", "de, *;q=0.1"}, header{"Origin", "https://elsewhere.example"}, header{"Origin", "null"}, header{"Cookie", "mooring_session=x; a"},
			header{"X-Forwarded-For", "1.2.3.4, ::1, x"}, header{"traceparent", "00-ffffffffffffffffffffffffffffffff-ffffffffffffffff-01"}, header{"traceparent", "x"},
			header{"Range", "bytes=0-0"}, header{"If-Modified-Since", "Sat, 28 Nov 2026 00:00:00 GMT"}, header{"If-None-Match", "*"}, header{"If-Match", `"x"`},
			header{"Upgrade", "websocket"}, header{"Connection", "close"}, header{"X-Request-Id", "a b\tc"}, header{"X-Request-Id", strings.Repeat("r", 3000)},
			header{"Idempotency-Key", "one"}, header{"Expect", "100-continue"}, header{"Expect", "200-maybe"}, header{"Content-Encoding", "gzip"},
			header{"Content-Language", "xx"}, header{"X-HTTP-Method-Override", "DELETE"}, header{"Access-Control-Request-Method", "PUT"}, header{"Sec-Fetch-Site", "cross-site"},
			header{"X-Large", strings.Repeat("h", pick(m, 1000, 30_000, 80_000))}, header{"X-Bytes", "\xff\xfe"}, header{"Date", "yesterday"}))
	}
}

func (m maker) headerValue(name string) string {
	switch name {
	case "If-Match", "If-None-Match":
		return pick(m, m.known.one(m, "etag", `"1"`), m.known.one(m, "etag", `"1"`), "*", `"x"`, `W/"1"`, `"a", "b"`, "x", "", `"`, strings.Repeat(`"a",`, 2000)+`"a"`)
	case "Idempotency-Key":
		return pick(m, fmt.Sprintf("key-%d", m.IntN(2000)), fmt.Sprintf("key-%d", m.IntN(1<<40)), "", "é", " ", strings.Repeat("k", 255), strings.Repeat("k", 256), "a\tb")
	case "Prefer":
		return pick(m, "return=minimal", "return=representation", "return=minimal, respond-async", "handling=strict", "handling=strict", "return=", "x", `return="minimal"`, ",,,")
	case "Last-Event-ID":
		return pick(m, "0-0", "1-0", "x", "99999999999999-0", "-1", "")
	case "webhook-timestamp":
		return pick(m, "0", "x", "1795900000", "-1")
	}
	return pick(m, "x", "v1,AAAA", "", "\xff")
}

// oddRequest makes something of a request other than what the operation describes.
func (m maker) oddRequest(q *request) {
	switch m.IntN(16) {
	case 0, 1, 2:
		q.method = pick(m, "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "FOO", "get", "PROPFIND")
	case 3:
		q.setHeader("Content-Type", pick(m, "text/plain", "application/xml", "application/json; charset=utf-16", "application/json;charset=UTF-8", "APPLICATION/JSON", "application/merge-patch+json",
			"", "x", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json, text/plain", "\xff"))
	case 4:
		q.target += pick(m, "/", "//", "/..", "/x", "#a", "%20", "?", "&first=1", "/%2e%2e/%2e%2e/me", ";jsessionid=1")
	case 5:
		q.target = strings.Replace(q.target, "/api/v1", pick(m, "/api/v2", "/API/v1", "//api/v1", "/api/v1/..", "/api", "/api/v1/.", "http://other.example/api/v1", "*"), 1)
	case 6:
		q.setHeader("Authorization", pick(m, "", "Bearer", "Bearer ", "Bearer x.y.z", "Basic YTpi", "bearer x", "Bearer \xff", "Bearer "+strings.Repeat("a", 10_000)))
	case 7:
		q.setHeader("Host", pick(m, "", "other.example", "a b", "[::1", "globex.example.com", "127.0.0.1:1", "\xff"))
	case 8:
		if len(q.body) > 0 {
			q.sent = m.IntN(len(q.body))
		}
	case 9, 10:
		q.chunked = true
		if m.chance(30) {
			q.setHeader("Transfer-Encoding", pick(m, "gzip", "identity", "chunked, gzip", "x"))
		}
	case 11:
		q.leave = true
	case 12:
		if q.body == nil {
			q.body = []byte(pick(m, "{}", "x", `{"id":1}`, "[]"))
			q.sent = len(q.body)
			q.headers = append(q.headers, header{"Content-Type", "application/json"})
		}
	case 13:
		q.headers = append(q.headers, q.headers[m.IntN(len(q.headers))]) // twice
	case 14:
		q.body = bytes.Repeat([]byte(pick(m, " ", "[", `"`, "\x00")), pick(m, 100_000, 1<<20))
		q.sent = len(q.body)
	case 15:
		q.headers = append(q.headers, header{pick(m, "X Y", "", "X:", "é", "Content-Length"), pick(m, "1", "-1", "x", "99999999999999999999")})
	}
}

// setHeader sets a header, in the place of the one of that name.
func (q *request) setHeader(name, value string) {
	for i := range q.headers {
		if q.headers[i].name == name {
			q.headers[i].value = value
			return
		}
	}
	q.headers = append(q.headers, header{name, value})
}

func (q *request) header(name string) string {
	for _, h := range q.headers {
		if strings.EqualFold(h.name, name) {
			return h.value
		}
	}
	return ""
}
