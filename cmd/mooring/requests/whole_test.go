//go:build unix

package requests

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"strings"

	"mooring/cmd/mooring/programtest"
)

// checkWhole looks at the store after the flood: every list can be read to its end, and every asset in it; the server's log tells of no error of its
// own, and its metrics of no answer from 500 on; mooring check finds nothing; the server ends as it should.
func (f *flood) checkWhole() {
	f.t.Helper()
	client := &http.Client{Timeout: programtest.Patience, Transport: f.judge.contract.Transport(http.DefaultTransport, func(err error) {
		f.fault("afterwards: an answer is not as described", err.Error())
	})}
	for _, of := range []struct {
		who        person
		deployment int
	}{{f.people[0], 1}, {f.people[0], 2}, {f.people[5], 1}} {
		r := reader{f, client, of.who}
		at := fmt.Sprintf("/api/v1/deployments/%d", of.deployment)
		for _, list := range []string{"/reports", "/workbooks", "/refresh-schedules"} {
			for _, item := range r.all(at + list) {
				var one struct{ ID int64 }
				must(f.t, json.Unmarshal(item, &one))
				r.get(fmt.Sprintf("%s%s/%d", at, list, one.ID))
			}
		}
		for _, list := range []string{"/refreshes", "/placements", "/documents", "/audit", "/managed?project=finance"} {
			r.all(at + list)
		}
		r.get(at + "/causes")
		r.get(at + "/stats")
		r.all("/api/v1/audit")
		r.all("/api/v1/devices")
	}
	f.checkServer(client)
}

// reader reads as somebody.
type reader struct {
	*flood
	client *http.Client
	who    person
}

// get reads what must be there.
func (r reader) get(path string) []byte {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), http.MethodGet, r.base+path, nil)
	must(r.t, err)
	req.Header.Set("Authorization", "Bearer "+r.who.token)
	resp, err := r.client.Do(req)
	must(r.t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	must(r.t, err)
	if resp.StatusCode != http.StatusOK {
		r.fault("afterwards: something cannot be read", fmt.Sprintf("%s: %d %s", path, resp.StatusCode, short(string(body))))
	}
	return body
}

// all reads a list to its end.
func (r reader) all(path string) (items []json.RawMessage) {
	r.t.Helper()
	join := "?"
	if strings.Contains(path, "?") {
		join = "&"
	}
	for after, more := "", true; more; {
		var page struct {
			Items    []json.RawMessage
			PageInfo struct {
				HasNextPage bool
				EndCursor   string
			}
		}
		_ = json.Unmarshal(r.get(path+join+"first=100"+after), &page) // of one that cannot be read nothing follows
		items = append(items, page.Items...)
		after, more = "&after="+page.PageInfo.EndCursor, page.PageInfo.HasNextPage
	}
	return items
}

var (
	serverErrors = regexp.MustCompile(`(?m)^mooring_http_request_duration_seconds_count\{[^}]*status="5[^}]*\} [1-9].*$`)
	errorLines   = regexp.MustCompile(`(?m)^.*(level=ERROR|panic).*$`)
)

// checkServer looks at what the server tells of itself, and ends it.
func (f *flood) checkServer(client *http.Client) {
	f.t.Helper()
	for _, line := range serverErrors.FindAllString(string(reader{f, client, f.people[0]}.get("/metrics")), -1) {
		f.fault("afterwards: the metrics count answers from 500 on", line)
	}
	out, err := exec.Command(programtest.Binary(f.t), "check", "--config", f.config).CombinedOutput()
	if err != nil {
		f.fault("afterwards: mooring check", string(out))
	}
	if status := f.server.Terminate(); status != 0 {
		f.fault("afterwards: the server ends", fmt.Sprintf("with %d", status))
	}
	for _, line := range errorLines.FindAllString(f.server.Out.String(), -1) {
		f.fault("afterwards: the log has errors", line)
	}
}
