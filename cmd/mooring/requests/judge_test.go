//go:build unix

package requests

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"mooring/web/webtest"
)

// judge holds answers to the document and to what no answer may be.
type judge struct {
	contract *webtest.Contract
	inside   *regexp.Regexp // what answers may not show
}

// inner are texts of the inside of a program: of a panic, of a script in Redis, of drivers and their addresses.
const inner = `panic|goroutine \d|runtime error|[a-z_]+\.go:\d|runtime\.|mooring/(web|storage|refresh|cmd)|user_script|EVALSHA|WRONGTYPE|CROSSSLOT|READONLY |redis:|` +
	`dial tcp|broken pipe|connection refused|context (canceled|deadline)|json: cannot|strconv\.|sqlite3?:|SQLITE_`

// newJudge makes one that knows further texts of the inside: the folder of the server, and the address of its Redis.
func newJudge(c *webtest.Contract, secrets ...string) *judge {
	pattern := inner
	for _, s := range secrets {
		pattern += "|" + regexp.QuoteMeta(s)
	}
	return &judge{c, regexp.MustCompile(pattern)}
}

// verdict is what an answer is: reason is empty for one that is right, and else a few words by which faults are told apart; detail says more.
type verdict struct {
	reason, detail string
	ofNetHTTP      bool // the answer is net/http's, which did not pass the request on
}

// judge judges the answer to a request.
func (j *judge) judge(q *request, a answer) verdict {
	switch {
	case q.leave:
		return verdict{}
	case a.status == 0:
		if q.sent < len(q.body) || tooLarge(q) {
			return verdict{} // the connection was over
		}
		return verdict{reason: "the connection ended without an answer"}
	case ofNetHTTP(q, a):
		return verdict{ofNetHTTP: true}
	case a.status >= http.StatusInternalServerError:
		return verdict{reason: "5xx", detail: string(a.body)}
	case a.cut:
		return verdict{reason: "the answer was cut"}
	}
	if found := j.inside.Find(a.body); found != nil && strings.HasPrefix(a.header.Get("Content-Type"), "application/json") && q.operation.id != "getSpec" && !bytes.Contains(q.bytes(), found) {
		return verdict{reason: "shows the inside", detail: string(found)}
	}
	return j.held(q, a)
}

// tooLarge reports whether the server may end the connection while the client still sends: it has answered, and the answer may be lost then.
func tooLarge(q *request) bool { return len(q.bytes()) > 60_000 }

// netHTTP are the answers of net/http to what is no request that it passes on: plain texts that end the connection.
var netHTTP = map[int]string{
	http.StatusBadRequest: "400 Bad Request", http.StatusRequestHeaderFieldsTooLarge: "431 Request Header Fields Too Large",
	http.StatusExpectationFailed: "", http.StatusNotImplemented: "Unsupported transfer encoding", http.StatusHTTPVersionNotSupported: "505 HTTP Version Not Supported",
}

func ofNetHTTP(q *request, a answer) bool {
	text, is := netHTTP[a.status]
	return is && a.header.Get("X-Request-Id") == "" && a.header.Get("Server") == "" &&
		(q.method == http.MethodHead || strings.HasPrefix(string(a.body), text)) // HEAD is answered without the text
}

// held holds an answer to the document.
func (j *judge) held(q *request, a answer) verdict {
	target, err := url.ParseRequestURI(q.target)
	if err != nil {
		return verdict{reason: "a target was taken that is none", detail: err.Error()}
	}
	sent := http.Header{}
	for _, h := range q.headers {
		sent.Add(h.name, h.value)
	}
	// What of a request is ignored is not described: its body is not looked at.
	err = j.contract.Check(webtest.Exchange{
		Request: &http.Request{Method: q.method, URL: target, Header: sent}, Status: a.status, Header: a.header, Body: a.body,
	})
	if err == nil || a.status == http.StatusMethodNotAllowed && !allows(a, q.method) {
		return verdict{}
	}
	detail := err.Error()
	_, reason, _ := strings.Cut(detail, "is not as described: ")
	return verdict{reason: kindOf(reason), detail: detail}
}

// allows reports whether an answer says that its path takes a method. One that does not take it is no path of an operation, even if the document's
// patterns match it: reports/by-public-id/x is none of the report "by-public-id".
func allows(a answer, method string) bool {
	allowed := a.header.Get("Allow")
	return allowed == "" || slices.Contains(strings.Split(strings.ReplaceAll(allowed, " ", ""), ","), method)
}

var varying = regexp.MustCompile(`\d+|"[^"]*"|\{.*`)

// kindOf is a fault without what differs between those of a kind.
func kindOf(reason string) string {
	line, _, _ := strings.Cut(reason, "\n")
	return varying.ReplaceAllStringFunc(line[:min(len(line), 300)], func(found string) string {
		if strings.HasPrefix(found, "{") || found[0] >= '0' && found[0] <= '9' {
			return "…"
		}
		return found[:min(len(found), 40)]
	})
}

func (v verdict) String() string { return fmt.Sprintf("%s: %s", v.reason, v.detail) }
