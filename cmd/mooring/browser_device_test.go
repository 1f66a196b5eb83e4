package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// A person approves a device in a browser, and it is signed in; a name of markup stays a name.
func TestApprovingADeviceInABrowser(t *testing.T) {
	t.Parallel()
	s := newExampleSite(t)
	writeFile(t, s.config, strings.Replace(exampleConfig, "publicURL", "# publicURL", 1))
	s.serve()
	begin := func(name string) (codes struct {
		DeviceCode string `json:"device_code"`
		UserCode   string `json:"user_code"`
		Complete   string `json:"verification_uri_complete"`
	},
	) {
		t.Helper()
		status, body := s.send(exampleRequest{method: "POST", path: "/api/v1/device/code", body: `{"client_name":"` + name + `"}`, as: "-"})
		if err := json.Unmarshal(body, &codes); err != nil || status != http.StatusOK {
			t.Fatalf("%d %s", status, body)
		}
		return codes
	}
	collect := func(deviceCode string) (int, string) {
		t.Helper()
		status, body := s.send(exampleRequest{
			method: "POST", path: "/api/v1/device/token", as: "-",
			body: `{"grant_type":"urn:ietf:params:oauth:grant-type:device_code","device_code":"` + deviceCode + `"}`,
		})
		return status, string(body)
	}
	const hostile = "<img src=x onerror=alert(1)>"
	codes := begin(hostile)
	p := openPage(t, codes.Complete)
	p.allow("401")
	p.looksRight("sign-in")
	p.fill("Key", "wrong")
	p.click("Continue")
	p.shows("The token is malformed")
	p.fill("Key", s.tokens["ana"])
	p.click("Continue")
	p.shows(hostile)
	p.shows(codes.UserCode)
	p.shows("127.0.0.1")
	p.looksRight("device")
	p.click("WorkbookRead") // it was chosen
	p.click("Approve")
	p.shows("Approved: the device is signed in.")
	p.looksRight("approved")
	status, body := collect(codes.DeviceCode)
	if status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	var tokens struct {
		AccessToken string `json:"access_token"`
	}
	_ = json.Unmarshal([]byte(body), &tokens)
	s.tokens["device"] = tokens.AccessToken
	if _, body := s.send(exampleRequest{method: "GET", path: "/api/v1/me", as: "device"}); !strings.Contains(string(body), `"actions":["ReportRead","ReportEdit"],"bound":["ReportRead","ReportEdit"]`) {
		t.Errorf("%s", body)
	}

	codes = begin("Tablet")
	p = openPage(t, codes.Complete)
	p.fill("Key", s.token("50", "--role", "7", "--no-actions"))
	p.click("Continue")
	p.shows("ReportEdit, where your roles or what you created allow it")
	p.looksRight("without-actions")
	p.click("WorkbookRead, where your roles or what you created allow it") // it was chosen
	p.click("Approve")
	p.shows("Approved: the device is signed in.")
	_, body = collect(codes.DeviceCode)
	_ = json.Unmarshal([]byte(body), &tokens)
	s.tokens["device"] = tokens.AccessToken
	if _, body := s.send(exampleRequest{method: "GET", path: "/api/v1/me", as: "device"}); !strings.Contains(string(body), `"actions":[],"bound":["ReportRead","ReportEdit"]`) {
		t.Errorf("%s", body)
	}

	codes = begin("Laptop")
	p = openPage(t, codes.Complete)
	p.fill("Key", s.tokens["ana"])
	p.click("Continue")
	p.shows("Laptop")
	p.click("Deny")
	p.shows("Denied: the device gets nothing.")
	if status, body := collect(codes.DeviceCode); status != http.StatusBadRequest || !strings.Contains(body, "access_denied") {
		t.Errorf("%d %s", status, body)
	}
}
