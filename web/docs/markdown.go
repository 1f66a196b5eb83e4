package docs

import (
	"bytes"
	"html/template"
	"path"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// opening returns the title of a page and the first paragraph below it.
func (p Page) opening() (title, summary string) {
	first, rest, _ := strings.Cut(p.Text, "\n")
	title, ok := strings.CutPrefix(first, "# ")
	if !ok {
		return "", ""
	}
	summary, _, _ = strings.Cut(strings.TrimSpace(rest), "\n\n")
	return title, strings.ReplaceAll(summary, "`", "")
}

// render returns the page as HTML, with its sections; what its Markdown has of HTML is left out. Links to files of the other pages become links to these,
// and those to files that are no pages lose their address.
func (p Page) render(all []Page) (template.HTML, []section, error) {
	md := goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	source := []byte(p.Text)
	tree := md.Parser().Parse(text.NewReader(source))
	err := ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if link, ok := n.(*ast.Link); ok && entering {
			link.Destination = []byte(p.address(string(link.Destination), all))
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return "", nil, err
	}
	var b bytes.Buffer
	err = md.Renderer().Render(&b, source, tree)
	text := headings.ReplaceAllString(scrollable.Replace(b.String()), anchored)
	return template.HTML(text), sectionsOf(tree, source), err // #nosec G203 -- goldmark escapes, and leaves HTML of the source out
}

// scrollable lets people scroll by keyboard what is wider than their window. Only goldmark itself writes these tags.
var scrollable = strings.NewReplacer(
	"<pre>", `<pre tabindex="0">`,
	"<table>", `<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>`,
	"</table>", "</table></div>",
)

// headings are those that can be linked to, and anchored is one with a link to itself. Only goldmark writes these tags, too.
var headings = regexp.MustCompile(`<h([2-4]) id="([^"]*)">(.*)</h[2-4]>`)

const anchored = `<h$1 id="$2">$3 <a class="anchor" href="#$2" aria-label="Link to this section"></a></h$1>`

// address returns what a link to target is on the site.
func (p Page) address(target string, all []Page) string {
	if strings.Contains(target, "://") || strings.HasPrefix(target, "#") || strings.HasPrefix(target, "/") {
		return target
	}
	file, heading, has := strings.Cut(target, "#")
	if has {
		heading = "#" + heading
	}
	for _, other := range all {
		if path.Join(path.Dir(p.File), file) == other.File {
			return other.Name + heading
		}
	}
	return ""
}
