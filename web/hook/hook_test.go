package hook_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mooring/refresh/signing"
	"mooring/web/hook"
)

const (
	secret   = "a secret of at least 24 bytes"
	previous = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	body     = `{"type":"orders.loaded"}`
)

var now = time.Date(2026, 11, 21, 7, 5, 0, 0, time.UTC)

// hooks has one hook of each kind, all with the same secret, and another standard one.
func hooks(t testing.TB) hook.Hooks {
	t.Helper()
	var list []hook.Config
	for _, kind := range []hook.Sender{hook.Standard, hook.DBT, hook.Fivetran, ""} {
		c := hook.Config{ID: "hook-" + string(kind), Tenant: "acme", Deployment: 1, Schedule: "daily", Secret: secret, Kind: kind}
		if kind == "" {
			c.ID, c.Secret = "other", "another secret of 24 bytes"
		}
		list = append(list, c)
	}
	list[0].PreviousSecret = previous
	all, err := hook.New(list)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// standard is the header of a standard request.
func standard(t testing.TB, secret, id string, at time.Time, body string) http.Header {
	t.Helper()
	key, err := signing.Secret(secret)
	if err != nil {
		t.Fatal(err)
	}
	timestamp := strconv.FormatInt(at.Unix(), 10)
	return http.Header{
		signing.HeaderID: {id}, signing.HeaderTimestamp: {timestamp},
		signing.HeaderSignature: {signing.Signature(key, id, timestamp, []byte(body))},
	}
}

func digest(body string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	return hex.EncodeToString(mac.Sum(nil))
}

func TestStandardRequests(t *testing.T) {
	all := hooks(t)
	good := func() http.Header { return standard(t, secret, "msg_1", now, body) }
	with := func(field string, values ...string) http.Header {
		h := good()
		h[field] = values
		return h
	}
	signature := good().Get(signing.HeaderSignature)
	at := func(text string) http.Header { // signed with that timestamp
		h := good()
		h[signing.HeaderTimestamp] = []string{text}
		h[signing.HeaderSignature] = []string{signing.Signature([]byte(secret), "msg_1", text, []byte(body))}
		return h
	}
	for _, row := range []struct {
		name   string
		header http.Header
		want   bool
	}{
		{"signed", good(), true},
		{"signed with the previous secret", standard(t, previous, "msg_1", now, body), true},
		{"one of several signatures", with(signing.HeaderSignature, "v1a,AAAA v1,AAAA "+signature), true},
		{"five minutes ago", standard(t, secret, "msg_1", now.Add(-hook.Window), body), true},
		{"in five minutes", standard(t, secret, "msg_1", now.Add(hook.Window), body), true},
		{"longer ago", standard(t, secret, "msg_1", now.Add(-hook.Window-time.Second), body), false},
		{"later", standard(t, secret, "msg_1", now.Add(hook.Window+time.Second), body), false},
		{"no header", http.Header{}, false},
		{"no id", with(signing.HeaderID), false},
		{"an empty id", standard(t, secret, "", now, body), false},
		{"another id", with(signing.HeaderID, "msg_2"), false},
		{"two ids", with(signing.HeaderID, "msg_1", "msg_2"), false},
		{"the same id twice", with(signing.HeaderID, "msg_1", "msg_1"), false},
		{"two timestamps", with(signing.HeaderTimestamp, strconv.FormatInt(now.Unix(), 10), "0"), false},
		{"two signature headers", with(signing.HeaderSignature, signature, signature), false},
		{"another timestamp", with(signing.HeaderTimestamp, strconv.FormatInt(now.Unix()+1, 10)), false},
		{"no signature", with(signing.HeaderSignature), false},
		{"an empty signature", with(signing.HeaderSignature, "v1,"), false},
		{"a truncated signature", with(signing.HeaderSignature, signature[:len(signature)-4]), false},
		{"a longer signature", with(signing.HeaderSignature, signature+"AAAA"), false},
		{"a signature without its version", with(signing.HeaderSignature, strings.TrimPrefix(signature, "v1,")), false},
		{"a signature of another version", with(signing.HeaderSignature, "v2"+signature[2:]), false},
		{"a signature in hex", with(signing.HeaderSignature, "v1,"+digest(body)), false},
		{"another hook's signature", standard(t, "another secret of 24 bytes", "msg_1", now, body), false},
		{"a signature of another body", standard(t, secret, "msg_1", now, body+" "), false},
		{"an overflowing timestamp", at("18446744073709551615"), false},
		{"one that overflows to now", at(fmt.Sprintf("%d", uint64(1)<<63+uint64(now.Unix()))), false},
		{"a negative timestamp", at("-1795244700"), false},
		{"a signed timestamp", at("+" + strconv.FormatInt(now.Unix(), 10)), false},
		{"a timestamp with a fraction", at(strconv.FormatInt(now.Unix(), 10) + ".0"), false},
		{"a timestamp in milliseconds", at(strconv.FormatInt(now.UnixMilli(), 10)), false},
		{"a timestamp in other digits", at("１７９５２４４７００"), false},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := all.Verify("hook-standard", now, row.header, []byte(body))
			if (err == nil) != row.want {
				t.Fatalf("%v", err)
			}
			if err == nil && (got.ID != "hook-standard" || got.Schedule != "daily" || got.Deployment.Tenant != "acme") {
				t.Errorf("%+v", got.Hook)
			}
			for _, id := range []string{"hook-standard2", "HOOK-STANDARD", "hook-standard\x00", "hook‐standard", "", "../hook-standard"} {
				if _, err := all.Verify(id, now, row.header, []byte(body)); err == nil {
					t.Errorf("the hook %q takes it", id)
				}
			}
		})
	}
}

func TestRequestsWhoseBodiesAreSigned(t *testing.T) {
	all := hooks(t)
	for kind, field := range map[hook.Sender]string{hook.DBT: "Authorization", hook.Fivetran: "X-Fivetran-Signature-256"} {
		for _, row := range []struct {
			name   string
			values []string
			want   bool
		}{
			{"in lower case", []string{digest(body)}, true},
			{"in upper case", []string{strings.ToUpper(digest(body))}, true},
			{"none", nil, false},
			{"empty", []string{""}, false},
			{"twice", []string{digest(body), digest(body)}, false},
			{"of another body", []string{digest(body + " ")}, false},
			{"truncated", []string{digest(body)[:62]}, false},
			{"an odd length", []string{digest(body)[:63]}, false},
			{"longer", []string{digest(body) + "00"}, false},
			{"in base64", []string{base64.StdEncoding.EncodeToString([]byte(digest(body)))}, false},
			{"as a bearer token", []string{"Bearer " + digest(body)}, false},
		} {
			t.Run(string(kind)+" "+row.name, func(t *testing.T) {
				_, err := all.Verify("hook-"+string(kind), now, http.Header{field: row.values}, []byte(body))
				if (err == nil) != row.want {
					t.Errorf("%v", err)
				}
			})
		}
	}
}

// The name is that of the delivery, whatever else of the request changes.
func TestNamesOfDeliveries(t *testing.T) {
	all := hooks(t)
	name := func(id string, header http.Header, body string) string {
		t.Helper()
		d, err := all.Verify(id, now, header, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		return d.Name
	}
	first := name("hook-standard", standard(t, secret, "msg_1", now, body), body)
	if again := name("hook-standard", standard(t, previous, "msg_1", now.Add(time.Minute), body+" "), body+" "); again != first {
		t.Errorf("sent again: %q, first %q", again, first)
	}
	dbt := func(body string) string { return name("hook-dbt", http.Header{"Authorization": {digest(body)}}, body) }
	names := map[string]bool{
		first: true, dbt(body): true, dbt(body + " "): true,
		name("hook-standard", standard(t, secret, "msg_2", now, body), body):                 true,
		name("other", standard(t, "another secret of 24 bytes", "msg_1", now, body), body):   true,
		name("hook-fivetran", http.Header{"X-Fivetran-Signature-256": {digest(body)}}, body): true,
	}
	if len(names) != 6 {
		t.Errorf("deliveries share names: %q", slices.Sorted(maps.Keys(names)))
	}
}

func TestWhichEventsStartARun(t *testing.T) {
	all := hooks(t)
	for _, row := range []struct {
		name, id, body string
		ignored        bool
		malformed      bool
	}{
		{name: "a standard one", id: "hook-standard", body: `{}`},
		{name: "with members of others", id: "hook-standard", body: `{"data":[1],"timestamp":7,"event":{},"created":"2001-01-01T00:00:00Z"}`},
		{name: "that is no object", id: "hook-standard", body: `[]`, malformed: true},
		{name: "that is a number", id: "hook-standard", body: `1.5`, malformed: true},
		{name: "empty", id: "hook-standard", body: ``, malformed: true},
		{name: "malformed", id: "hook-standard", body: `{"a":1`, malformed: true},
		{name: "two values", id: "hook-standard", body: `{}{}`, malformed: true},
		{name: "nested too deep", id: "hook-standard", body: strings.Repeat(`{"a":`, 65) + "1" + strings.Repeat("}", 65), malformed: true},
		{
			name: "dbt: a run that succeeded", id: "hook-dbt",
			body: `{"accountId":1,"eventId":"wev_1","timestamp":"2026-11-21T07:04:58Z","eventType":"job.run.completed","data":{"runId":"218726483","runStatus":"Success","runStatusCode":10}}`,
		},
		{name: "dbt: one that failed", id: "hook-dbt", body: `{"eventType":"job.run.completed","data":{"runStatus":"Errored"}}`, ignored: true},
		{name: "dbt: one that has started", id: "hook-dbt", body: `{"eventType":"job.run.started","data":{"runStatus":"Running"}}`, ignored: true},
		{name: "dbt: members of other types", id: "hook-dbt", body: `{"eventType":7,"data":"x"}`, ignored: true},
		{name: "dbt: malformed", id: "hook-dbt", body: `eventType`, malformed: true},
		{name: "dbt: a day old", id: "hook-dbt", body: `{"timestamp":"2026-11-20T07:05:00Z","eventType":"job.run.completed","data":{"runStatus":"Success"}}`},
		{name: "dbt: older", id: "hook-dbt", body: `{"timestamp":"2026-11-20T07:04:59Z","eventType":"job.run.completed","data":{"runStatus":"Success"}}`, ignored: true},
		{
			name: "Fivetran: a synchronization that succeeded", id: "hook-fivetran",
			body: `{"event":"sync_end","created":"2026-11-21T07:04:59.123Z","connector_id":"c","data":{"status":"SUCCESSFUL"}}`,
		},
		{name: "Fivetran: one that failed", id: "hook-fivetran", body: `{"event":"sync_end","data":{"status":"FAILURE_WITH_TASK"}}`, ignored: true},
		{name: "Fivetran: one that has started", id: "hook-fivetran", body: `{"event":"sync_start"}`, ignored: true},
		{name: "Fivetran: its test", id: "hook-fivetran", body: `{"_webhook_test":true}`, ignored: true},
		{name: "Fivetran: an old one", id: "hook-fivetran", body: `{"event":"sync_end","created":"2026-11-19T07:05:00Z","data":{"status":"SUCCESSFUL"}}`, ignored: true},
	} {
		t.Run(row.name, func(t *testing.T) {
			header := standard(t, secret, "msg_1", now, row.body)
			header["Authorization"], header["X-Fivetran-Signature-256"] = []string{digest(row.body)}, []string{digest(row.body)}
			d, err := all.Verify(row.id, now, header, []byte(row.body))
			if err != nil {
				t.Fatal(err)
			}
			reason, err := d.Ignored()
			if (err != nil) != row.malformed || (reason != "") != row.ignored {
				t.Errorf("ignored %q, error %v", reason, err)
			}
		})
	}
}

func TestConfigurationsOfHooks(t *testing.T) {
	good := hook.Config{ID: "orders", Tenant: "acme", Deployment: 1, Schedule: "daily", Secret: secret}
	for _, row := range []struct {
		name   string
		change func(*hook.Config)
		want   string
	}{
		{"a good one", func(*hook.Config) {}, ""},
		{"no id", func(c *hook.Config) { c.ID = "" }, "id: "},
		{"an id with a slash", func(c *hook.Config) { c.ID = "a/b" }, "id: "},
		{"an id of other letters", func(c *hook.Config) { c.ID = "größe" }, "id: "},
		{"a long id", func(c *hook.Config) { c.ID = strings.Repeat("a", 65) }, "id: "},
		{"an unknown kind", func(c *hook.Config) { c.Kind = "github" }, "kind: expected standard, dbt or fivetran"},
		{"no schedule", func(c *hook.Config) { c.Schedule = "" }, "schedule: "},
		{"no secret", func(c *hook.Config) { c.Secret = "" }, "secret: needs at least 24 bytes"},
		{"a short secret", func(c *hook.Config) { c.Secret = "whsec_c2hvcnQ=" }, "secret: needs at least 24 bytes"},
		{"a short secret from before", func(c *hook.Config) { c.PreviousSecret = "short" }, "previousSecret: needs at least 24 bytes"},
		{"a dbt secret that is no base64", func(c *hook.Config) { c.Kind, c.Secret = hook.DBT, "whsec_not base64, but long" }, ""},
	} {
		c := good
		row.change(&c)
		err := c.Check()
		if (err == nil) != (row.want == "") || err != nil && !strings.HasPrefix(err.Error(), row.want) {
			t.Errorf("%s: %v", row.name, err)
		}
		if err != nil && strings.Contains(err.Error(), "c2hvcnQ") {
			t.Errorf("%s: the secret is in %v", row.name, err)
		}
		if _, err := hook.New([]hook.Config{c}); (err == nil) != (row.want == "") {
			t.Errorf("%s: New: %v", row.name, err)
		}
	}
}

func TestTheZeroHooksTakeNothing(t *testing.T) {
	var none hook.Hooks
	header := http.Header{
		signing.HeaderID: {"1"}, signing.HeaderTimestamp: {strconv.FormatInt(now.Unix(), 10)},
		signing.HeaderSignature: {signing.Signature(nil, "1", strconv.FormatInt(now.Unix(), 10), []byte(body))},
	}
	if _, err := none.Verify("", now, header, []byte(body)); err == nil {
		t.Error("a request was taken")
	}
}

// Nothing but the right signature is taken, and nothing makes Verify or Ignored panic.
func FuzzVerify(f *testing.F) {
	timestamp := strconv.FormatInt(now.Unix(), 10)
	right := signing.Signature([]byte(secret), "msg_1", timestamp, []byte(body))
	f.Add("hook-standard", "msg_1", timestamp, right, body)
	f.Add("hook-dbt", "", "", digest(`{"eventType":"job.run.completed"}`), `{"eventType":"job.run.completed"}`)
	f.Add("hook-fivetran", "", "", "00", `{"data":{"status":7}}`)
	f.Add("hook-standard", "msg_1.1", "-1", "v1, v1,AAAA v1,"+strings.Repeat("=", 99), "[")
	all := hooks(f)
	f.Fuzz(func(t *testing.T, id, msg, timestamp, signature, body string) {
		header := http.Header{
			signing.HeaderID: {msg}, signing.HeaderTimestamp: {timestamp}, signing.HeaderSignature: {signature},
			"Authorization": {signature}, "X-Fivetran-Signature-256": {signature},
		}
		d, err := all.Verify(id, now, header, []byte(body))
		if err != nil {
			return
		}
		switch id {
		case "hook-standard", "other":
			key := map[string]string{"hook-standard": secret, "other": "another secret of 24 bytes"}[id]
			old, _ := signing.Secret(previous)
			sum := signing.Signature([]byte(key), msg, timestamp, []byte(body))
			if before := signing.Signature(old, msg, timestamp, []byte(body)); !strings.Contains(signature, sum) && !strings.Contains(signature, before) {
				t.Errorf("taken without a signature: %q", signature)
			}
		case "hook-dbt", "hook-fivetran":
			if !strings.EqualFold(signature, digest(body)) {
				t.Errorf("taken without a signature: %q", signature)
			}
		default:
			t.Errorf("there is no hook %q", id)
		}
		_, _ = d.Ignored()
	})
}
