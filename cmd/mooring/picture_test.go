package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chromedp/chromedp"
)

// maxPicture bounds a picture of README.md, in bytes.
const maxPicture = 80_000

// picture takes a picture for README.md into testdata when MOORING_PICTURES is set. It fails where README does not show it.
func (p *page) picture(name string) {
	p.t.Helper()
	file := filepath.Join("testdata", name+".png")
	if os.Getenv("MOORING_PICTURES") != "" {
		taken, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
		if err != nil {
			p.t.Fatal(err)
		}
		if taken, err = shrunk(taken); err != nil {
			p.t.Fatal(err)
		}
		if err := os.WriteFile(file, taken, 0o644); err != nil {
			p.t.Fatal(err)
		}
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil || !strings.Contains(string(readme), "(cmd/mooring/"+filepath.ToSlash(file)+")") {
		p.t.Errorf("README.md does not show %s (%v)", file, err)
	}
	if kept, err := os.Stat(file); err != nil || kept.Size() > maxPicture {
		p.t.Errorf("%s: %v; %d bytes are allowed", file, err, maxPicture)
	}
}

// shrunk returns a picture with its 256 most frequent colours alone, the others being shades at the edges of letters.
func shrunk(picture []byte) ([]byte, error) {
	from, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		return nil, err
	}
	area := from.Bounds()
	often := map[color.RGBA]int{}
	for y := range area.Dy() {
		for x := range area.Dx() {
			often[at(from, x, y)]++
		}
	}
	colours := slices.SortedFunc(maps.Keys(often), func(a, b color.RGBA) int { return often[b] - often[a] })
	palette := color.Palette{}
	for _, c := range colours[:min(256, len(colours))] {
		palette = append(palette, c)
	}
	index := map[color.RGBA]uint8{}
	for _, c := range colours {
		index[c] = uint8(palette.Index(c))
	}
	to := image.NewPaletted(area, palette)
	for y := range area.Dy() {
		for x := range area.Dx() {
			to.SetColorIndex(x, y, index[at(from, x, y)])
		}
	}
	var out bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, to)
	return out.Bytes(), err
}

func at(m image.Image, x, y int) color.RGBA {
	return color.RGBAModel.Convert(m.At(x, y)).(color.RGBA)
}
