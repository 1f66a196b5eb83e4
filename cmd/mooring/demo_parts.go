package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

// parts is what a workbook file holds: the digest of each of its parts (an .xlsx is a zip of them), by name.
type parts map[string]string

// readParts digests every part of a workbook.
func readParts(name string) (parts, error) {
	z, err := zip.OpenReader(name)
	if err != nil {
		return nil, err
	}
	all := parts{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return nil, errors.Join(err, z.Close())
		}
		hash := sha256.New()
		_, err = io.Copy(hash, r)
		if err := errors.Join(err, r.Close()); err != nil {
			return nil, errors.Join(err, z.Close())
		}
		all[f.Name] = hex.EncodeToString(hash.Sum(nil))
	}
	return all, z.Close()
}

// changed names the parts that are not the same in q, or in only one of the two.
func (p parts) changed(q parts) []string {
	var names []string
	for name, digest := range p {
		if q[name] != digest {
			names = append(names, name)
		}
	}
	for name := range q {
		if _, had := p[name]; !had {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// digest is one short digest over all parts but those left out.
func (p parts) digest(without []string) string {
	hash := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(p)) {
		if !slices.Contains(without, name) {
			fmt.Fprintf(hash, "%s %s\n", name, p[name])
		}
	}
	return hex.EncodeToString(hash.Sum(nil)[:8])
}

// snapshot is a workbook file at one moment.
type snapshot struct {
	bytes []byte
	parts parts
}

func takeSnapshot(name string) (snapshot, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return snapshot{}, err
	}
	p, err := readParts(name)
	return snapshot{b, p}, err
}

// compare says what became of the file between two moments, in one or two lines.
func (before snapshot) compare(after snapshot) []string {
	if bytes.Equal(before.bytes, after.bytes) {
		sum := sha256.Sum256(after.bytes)
		return []string{fmt.Sprintf("the file is the same, byte for byte (sha256 %x)", sum[:8])}
	}
	changed := before.parts.changed(after.parts)
	kept := 0
	for name, digest := range before.parts {
		if after.parts[name] == digest {
			kept++
		}
	}
	return []string{
		fmt.Sprintf("rewritten:  %s", strings.Join(changed, ", ")),
		fmt.Sprintf("untouched:  %d of %d parts, hash %s before, %s after",
			kept, len(before.parts), before.parts.digest(changed), after.parts.digest(changed)),
	}
}
