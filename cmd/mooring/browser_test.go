package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The rig sees what people would: a fault of every kind that it checks for is found, and a sound page has none.
func TestBrowserRig(t *testing.T) {
	t.Parallel()
	const sound = `<!doctype html><html lang="en"><title>t</title>
		<style>:root { color-scheme: light dark } :focus { outline: 2px solid blue } button { min-height: 32px }</style>
		<main><h1>Heading</h1><button onclick="this.textContent = 'Clicked'">Press</button><label>Name <input style="height:32px"></label></main>`
	const framing = `<!doctype html><html lang="en"><title>t</title><main><h1>Outside</h1>
		<iframe src="/sound" title="Inside" style="margin: 40px"></iframe></main>`
	const faulty = `<!doctype html><html><title>t</title><style>button { outline: none !important; min-height: 32px }</style>
		<main style="width: 2000px"><h2>Heading</h2><p id="a" style="color:#999;background:#fff">faint</p><p id="a">twice</p>
		<button aria-describedby="nothing"></button>
		<a href="#a" style="display:block;height:10px;width:10px">x</a><a href="#b" style="display:block;height:10px;width:10px">y</a></main>`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(map[string]string{"/sound": sound, "/faulty": faulty, "/framing": framing}[r.URL.Path]))
	}))
	t.Cleanup(server.Close)

	p := openPage(t, server.URL+"/sound")
	p.allow("favicon.ico")
	p.looksRight("sound")
	if diff := cmp.Diff([]string{"Press", "Name"}, p.focusOrder()); diff != "" {
		t.Errorf("focus (-want +got):\n%s", diff)
	}
	p.click("Press")
	p.shows("Clicked")
	p.fill("Name", "Ana")
	p.until(`document.querySelector("input").value === "Ana"`)

	p.eval("location.assign('/framing')")
	p.until(`document.querySelector("iframe")?.contentDocument.querySelector("button")`)
	p.within("iframe")
	p.click("Press")
	p.shows("Clicked")
	p.within("")

	p.eval("location.assign('/faulty')")
	p.until(`document.querySelector("h2")`)
	want := []string{
		"aria-describedby: names no element", "button-name: button", "color-contrast: p:nth-child(2)", "duplicate-id: a",
		"html-has-lang: html", "overflow: 2008 px in a window of 360", "page-has-heading-one: html", "target-size: a[href=\"#a\"]", "target-size: a[href=\"#b\"]", "target-size: button",
	}
	var got []string
	for _, fault := range p.faultsOfAccess() {
		got = append(got, strings.Join(strings.SplitN(fault, ": ", 3)[:2], ": "))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}
