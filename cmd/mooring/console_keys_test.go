package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// A person makes a key in the console, sees its token once, and ends it; a program gets as far with it as was chosen.
func TestConsoleMakesAKey(t *testing.T) {
	t.Parallel()
	s := smallSite(t)
	c := s.open(s.token, "keys")
	c.allow("Clipboard") // which a page without a window may not write
	c.shows("No key has been made here that is still good.")
	c.click("New key")
	c.looksRight("form")
	c.size(1280, 800)
	c.fill("Name", "Nightly pipeline")
	c.fill("Days", "30")
	c.eval(`([...document.querySelectorAll("fieldset label")].find((l) => l.textContent === "ReportEdit").click(), null)`)
	c.click("Make the key")
	c.shows("Copy it now: it is shown this once")
	c.looksRight("made")
	c.size(1280, 800)
	token := evalAs[string](c.page, `document.getElementById("key-token").value`)
	c.click("Copy")
	c.until(`document.querySelector("#key-token + *, [role=status]") && /Copied|selected/.test(document.getElementById("new-key-place").textContent)`)
	c.until(`document.querySelector("table[aria-label=Keys] tbody").textContent.includes("Nightly pipeline")`)

	status := func(path, body string) int {
		t.Helper()
		method := "GET"
		if body != "" {
			method = "POST"
		}
		r, err := http.NewRequestWithContext(t.Context(), method, s.base+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		return answer.StatusCode
	}
	for _, tt := range []struct {
		path, body string
		want       int
	}{
		{"/api/v1/deployments/1/reports", `{"name":"By the key"}`, 200},
		{"/api/v1/deployments/2/reports", "", 403},
		{"/api/v1/deployments/1/workbooks", `{"name":"By the key"}`, 403},
		{"/api/v1/keys", `{"name":"another","deployments":[1],"actions":["ReportRead"],"days":1}`, 403},
	} {
		if got := status(tt.path, tt.body); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.path, got, tt.want)
		}
	}

	c.click("Done")
	c.goTo("overview")
	c.goTo("keys")
	c.until(`document.querySelector("table[aria-label=Keys] tbody").textContent.includes("Ana")`)
	if page := evalAs[string](c.page, "document.documentElement.outerHTML + JSON.stringify({...localStorage}) + JSON.stringify({...sessionStorage})"); strings.Contains(page, strings.Split(token, ".")[2]) {
		t.Error("the page keeps the token")
	}
	c.eval(`(document.querySelector("table[aria-label=Keys] button").click(), null)`)
	c.shows("End “Nightly pipeline”?")
	c.eval(`(document.querySelector("dialog[open] .danger").click(), null)`)
	c.shows("has ended.")
	c.until(`document.querySelector("table[aria-label=Keys] tbody").textContent.includes("No key has been made")`)
	for deadline := time.Now().Add(patience); status("/api/v1/me", "") != http.StatusUnauthorized; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the key is good still")
		}
	}
	c.goTo("audit?of=account")
	c.shows("key.create")
	c.shows("key.revoke")
}

// By keyboard alone, on a narrow screen; who holds a bounded key is offered none.
func TestConsoleMakesAKeyByKeyboard(t *testing.T) {
	t.Parallel()
	s := smallSite(t)
	c := s.open(s.token, "keys")
	c.size(320, 640)
	c.eval(`(document.getElementById("new-key").focus(), null)`)
	c.press("\r")
	c.until(`document.activeElement.id === "key-name"`)
	c.press("Laptop\r")
	c.until(`document.getElementById("key-token") && document.activeElement.textContent === "Copy"`)
	if wide := evalAs[int](c.page, "document.documentElement.scrollWidth"); wide > 320 {
		t.Errorf("the page is %d px wide", wide)
	}
	token := evalAs[string](c.page, `document.getElementById("key-token").value`)

	narrow := s.open(token, "keys")
	narrow.shows("Laptop")
	if n := evalAs[int](narrow.page, `document.querySelectorAll("#new-key").length`); n != 0 {
		t.Error("a key is offered keys")
	}
}

// The page of signing in says how one does here, and where a key comes from.
func TestConsoleSaysHowOneSignsIn(t *testing.T) {
	t.Parallel()
	s := smallSite(t)
	c := &console{page: newPage(t), s: s}
	c.allow("status of 401")
	c.size(1280, 800)
	c.do(chromedp.Navigate(fmt.Sprint(s.base, "/console/")))
	c.shows("One signs in here with a key.")
	c.shows("“mooring key create”")
}
