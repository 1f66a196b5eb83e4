package archive

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"strings"

	"mooring/refresh/host/xlsx/xml"
)

// Draft is what the new file has other than the old one: whole parts that are replaced, added and left out.
type Draft struct {
	Archive *Archive
	ctx     context.Context
	new     map[*zip.File][]byte
	added   map[string][]byte // by name
	dropped map[*zip.File]bool
}

// NewDraft returns a draft that changes nothing of an archive.
func NewDraft(ctx context.Context, a *Archive) *Draft {
	return &Draft{Archive: a, ctx: ctx, new: map[*zip.File][]byte{}, added: map[string][]byte{}, dropped: map[*zip.File]bool{}}
}

// Set replaces or adds a part.
func (d *Draft) Set(name string, doc []byte) {
	if f := d.Archive.Part(name); f != nil {
		d.new[f] = doc
		return
	}
	d.added[name] = doc
}

// Current is a part as it will be.
func (d *Draft) Current(name string) ([]byte, error) {
	f := d.Archive.Part(name)
	if doc, ok := d.new[f]; ok || f == nil {
		return doc, nil
	}
	return d.Archive.Whole(d.ctx, f)
}

// Append adds an empty element at the end of a part whose root is local.
func (d *Draft) Append(name, local, element string) error {
	doc, err := d.Current(name)
	if err != nil {
		return err
	}
	s := xml.NewScanner(bytes.NewReader(doc))
	if err := s.Root(local, nil); err != nil {
		return d.Archive.Broken(fmt.Errorf("%s: %w", name, err))
	}
	for err == nil && !(s.Kind == xml.End && s.Depth() == 0) {
		err = s.Next()
	}
	if err != nil {
		return d.Archive.Broken(fmt.Errorf("%s: %w", name, err))
	}
	d.Set(name, xml.Apply(doc, []xml.Edit{{From: s.From, To: s.From, With: []byte("<" + s.NS + element + "/>")}}))
	return nil
}

// DropRelations takes the relationships of one kind out of those of a part.
func (d *Draft) DropRelations(part, kind string) error {
	name := RelationsOf(part)
	doc, err := d.Current(name)
	if err != nil {
		return err
	}
	if doc, err = dropRelation(doc, kind); err != nil {
		return d.Archive.Broken(err)
	}
	d.Set(name, doc)
	return nil
}

// Write writes a part of the old file: one replaced anew, none that is left out, any other as it was packed.
func (d *Draft) Write(zw *Zip, f *zip.File) error {
	if d.dropped[f] {
		return nil
	}
	if doc, ok := d.new[f]; ok {
		return create(zw, &f.FileHeader, doc)
	}
	if strings.HasSuffix(f.Name, "/") { // a folder, which some programs pack as two bytes
		_, err := zw.zip.CreateHeader(&f.FileHeader)
		return err
	}
	return zw.Copy(f)
}

// Finish writes the parts that the old file does not have, and ends the new one.
func (d *Draft) Finish(zw *Zip) error {
	for name, doc := range d.added {
		if err := create(zw, &zip.FileHeader{Name: name}, doc); err != nil {
			return err
		}
	}
	if err := zw.zip.SetComment(d.Archive.zip.Comment); err != nil {
		return err
	}
	return zw.zip.Close()
}

func create(zw *Zip, old *zip.FileHeader, doc []byte) error {
	out, err := zw.Create(old)
	if err != nil {
		return err
	}
	_, _ = out.Write(doc) // Close returns its error
	return out.Close()
}
