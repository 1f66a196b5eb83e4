package docs

import (
	"bytes"
	"html/template"
	"path"
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

// render returns the page as HTML; what its Markdown has of HTML is left out. Links to files of the other pages become links to these,
// and those to files that are no pages lose their address.
func (p Page) render(all []Page) (template.HTML, error) {
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
		return "", err
	}
	var b bytes.Buffer
	err = md.Renderer().Render(&b, source, tree)
	return template.HTML(scrollable.Replace(b.String())), err // #nosec G203 -- goldmark escapes, and leaves HTML of the source out
}

// scrollable lets people scroll by keyboard what is wider than their window. Only goldmark itself writes these tags.
var scrollable = strings.NewReplacer(
	"<pre>", `<pre tabindex="0">`,
	"<table>", `<div class="scroll" tabindex="0" role="region" aria-label="Table"><table>`,
	"</table>", "</table></div>",
)

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
