package ascode

import (
	"fmt"
	"html"
	"strings"

	"mooring/storage/record/portable"
)

// maxMarkdown is below what a comment of a pull request may have (65,536 characters).
const maxMarkdown = 60_000

// Markdown returns a plan for a comment of a pull request. Names and values stand in code, where they cannot be read as markup.
func (r *Review) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "### Plan of %s for deployment %d\n\n%s.\n", code(r.named()), r.Deployment, r.Summary)
	left := 0
	for _, a := range r.Assets {
		if quiet(a) {
			continue
		}
		text := r.markdown(a)
		if b.Len()+len(text) > maxMarkdown {
			left++
			continue
		}
		b.WriteString(text)
	}
	if left > 0 {
		fmt.Fprintf(&b, "\n%d more assets are left out here: see `mooring plan`.\n", left)
	}
	return b.String()
}

// named names the project, and its environment where it has one.
func (r *Review) named() string {
	if r.Environment == "" {
		return r.Project
	}
	return r.Project + " (" + r.Environment + ")"
}

func (r *Review) markdown(a portable.PlannedAsset) string {
	name, details := Line(string(a.Kind)+":"+a.Ref+r.where(a)), details(a)
	if details == "" {
		return fmt.Sprintf("\n**%s** %s\n", a.Action, code(name))
	}
	summary := fmt.Sprintf("<b>%s</b> <code>%s</code>", a.Action, html.EscapeString(name))
	return "\n<details><summary>" + summary + "</summary>\n\n" + details + "\n</details>\n"
}

// details lists what there is to be known of an asset.
func details(a portable.PlannedAsset) string {
	var b strings.Builder
	for _, s := range remarks(a) {
		fmt.Fprintf(&b, "- %s\n", code(s))
	}
	if a.Error != nil {
		fmt.Fprintf(&b, "- **error**%s: %s\n", placeOf(a.Error), code(Line(a.Error.Message)))
	}
	for _, d := range a.Changes {
		if lines := unified(d); len(lines) > 0 {
			fmt.Fprintf(&b, "- %s\n\n%s\n", code(Line(d.Pointer)), fenced(lines))
		} else {
			fmt.Fprintf(&b, "- %s: %s\n", code(Line(d.Pointer)), code(inLine(d)))
		}
	}
	return b.String()
}

// code returns a text as code within a line.
func code(s string) string {
	fence := strings.Repeat("`", backticks(s)+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") || s == "" {
		s = " " + s + " "
	}
	return fence + Line(s) + fence
}

// fenced returns lines as a block of code.
func fenced(lines []string) string {
	text := visible(strings.Join(lines, "\n"))
	fence := strings.Repeat("`", max(3, backticks(text)+1))
	return fence + "diff\n" + text + "\n" + fence + "\n"
}

// backticks returns the length of the longest run of backticks.
func backticks(s string) (longest int) {
	run := 0
	for _, r := range s {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
