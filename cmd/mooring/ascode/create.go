package ascode

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"mooring/placements"
	"mooring/storage/record/portable"
)

// create adds an asset to the folder that only the server has, and returns it.
func (p *puller) create(remote Remote, ref string) *asset {
	def := canonical(remote.Kind, remote.Definition)
	f, item := p.fileFor(remote, def, ref)
	a := &asset{kind: remote.Kind, ref: remote.Ref, file: f, item: item}
	for _, member := range names(def) {
		if v := def[member]; !empty(v) && !identity(remote.Kind, member) {
			p.set(a, member, v)
		}
	}
	if remote.Protect {
		a.said(p.edit(f))["protect"] = true
	}
	return a
}

// identity reports whether a member is said by where an asset stands in the folder.
func identity(kind portable.AssetKind, member string) bool {
	return kind == portable.KindPlacement && (member == "document" || member == "host")
}

// fileFor returns the file that a new asset is written to: one of its own, or that of the document's placements.
func (p *puller) fileFor(remote Remote, def map[string]any, ref string) (f *file, item int) {
	document, _ := def["document"].(string)
	host, _ := def["host"].(string)
	if remote.Kind == portable.KindPlacement {
		for _, f := range slices.Concat(values(p.files), freshFiles(p.edits)) {
			if f.kind == portable.KindPlacement && f.holds(p, document, host) {
				e := p.edit(f)
				items := append(e.want["items"].([]any), map[string]any{})
				e.want["items"] = items
				return f, len(items) - 1
			}
		}
	}
	f = &file{kind: remote.Kind, raw: map[string]any{}}
	name := ref
	switch remote.Kind {
	case portable.KindReport:
		f.raw["publicId"] = ref
		if title, _ := def["name"].(string); fileName(title) != "" {
			name = title
		}
	case portable.KindWorkbook:
		f.raw["slug"] = ref
	case portable.KindSchedule:
		f.raw["key"] = ref
	case portable.KindPlacement:
		name = document
		f.raw["document"], f.raw["items"] = p.document(document, nil), []any{map[string]any{}}
		if host != "" {
			f.raw["host"] = placements.Host(host).Word()
		}
	}
	f.name = p.unique(remote.Kind, name)
	p.edit(f).fresh = true
	return f, 0
}

// holds reports whether a file has the placements of a document on a host.
func (f *file) holds(p *puller, document, host string) bool {
	written, _ := f.raw["document"].(string)
	on, _ := f.raw["host"].(string)
	kind, _ := placements.ParseHost(on)
	return p.resolved(written) == document && (string(kind) == host || on == "")
}

func values(files map[string]*file) (list []*file) {
	for _, name := range names(files) {
		list = append(list, files[name])
	}
	return list
}

func freshFiles(edits map[*file]*edit) (list []*file) {
	for f, e := range edits {
		if e.fresh {
			list = append(list, f)
		}
	}
	return list
}

// stems returns the files that there are, without their endings and in lower case: some file systems do not tell cases apart.
func (f *Folder) stems() map[string]bool {
	stems := map[string]bool{}
	for name := range f.files {
		stems[strings.ToLower(stem(name))] = true
	}
	return stems
}

// unique returns the name of a new file that none has yet.
func (p *puller) unique(kind portable.AssetKind, title string) string {
	base := fileName(title)
	if base == "" || device.MatchString(base) {
		base = string(kind) + "-" + base
	}
	for n := 1; ; n++ {
		name := path.Join(directory(kind), strings.TrimSuffix(base, "-"))
		if n > 1 {
			name = fmt.Sprintf("%s-%d", name, n)
		}
		if !p.names[name] {
			p.names[name] = true
			return name + ".yaml"
		}
	}
}

var (
	notInName = regexp.MustCompile(`[^a-z0-9._]+`)
	device    = regexp.MustCompile(`^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$`) // names that Windows keeps to itself
)

// fileName makes a file's name of a title: letters, digits, dots and underscores, and hyphens for the rest.
func fileName(title string) string {
	name := strings.Trim(notInName.ReplaceAllString(strings.ToLower(title), "-"), "-.")
	return strings.Trim(name[:min(len(name), 60)], "-.")
}
