// Command curves reads lines "CURVE name n µs", draws each curve into a folder as name.svg, on logarithmic axes, and prints a table of them in
// Markdown, with the exponent of each: that of the power of n which fits best, and that of the last step.
//
//	go test … | go run . FOLDER
package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// point is what one operation costs where there are n of something, in µs of CPU time.
type point struct{ n, cost float64 }

// curves are what is drawn, in the order of the table, and how fast each may grow: n log n over three decades has an exponent of some 1.15,
// log n, for what is one of n, of some 0.2.
var curves = []struct {
	name, title string
	goal        float64
}{
	{"placements", "connect on a report with n placements", 0.2},
	{"schedules", "fire and end a run beside n schedules", 0.2},
	{"tenants", "end a run, of n tenants in turn", 0.2},
	{"rows", "refresh a block of n × 10 cells, 10 rows changed", 1.15},
	{"documents", "refresh a report in n files", 1.15},
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: curves FOLDER <LINES")
	}
	points := read(os.Stdin)
	fmt.Print("| what | n: CPU | grows as n to the | in the last step | goal |\n|---|---|---|---|---|\n")
	for _, c := range curves {
		p := points[c.name]
		if len(p) < 2 {
			log.Fatalf("no curve of %s", c.name)
		}
		exponent := slope(p)
		file := filepath.Join(os.Args[1], c.name+".svg")
		if err := os.WriteFile(file, []byte(draw(fmt.Sprintf("%s: CPU grows as n^%.2f", c.title, exponent), p)), 0o644); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("| [%s](curves/%s.svg) | %s | %.2f | %.2f | <= %.2f |\n", c.title, c.name, list(p), exponent, slope(p[len(p)-2:]), c.goal)
	}
}

func read(from io.Reader) map[string][]point {
	points := map[string][]point{}
	for lines := bufio.NewScanner(from); lines.Scan(); {
		var name string
		var p point
		if _, err := fmt.Sscanf(strings.TrimSpace(lines.Text()), "CURVE %s %g %g", &name, &p.n, &p.cost); err == nil {
			points[name] = append(points[name], p)
		}
	}
	for _, p := range points {
		slices.SortFunc(p, func(a, b point) int { return cmp.Compare(a.n, b.n) })
	}
	return points
}

// slope is that of the line through the logarithms which has the least squares.
func slope(p []point) float64 {
	var x, y, xx, xy float64
	for _, p := range p {
		n, cost := math.Log(p.n), math.Log(p.cost)
		x, y, xx, xy = x+n, y+cost, xx+n*n, xy+n*cost
	}
	n := float64(len(p))
	return (n*xy - x*y) / (n*xx - x*x)
}

func list(p []point) string {
	var all []string
	for _, p := range p {
		all = append(all, number(p.n)+": "+duration(p.cost))
	}
	return strings.Join(all, ", ")
}

// number writes a power of ten with commas.
func number(n float64) string {
	text := fmt.Sprintf("%.0f", n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// duration writes µs with three digits.
func duration(µs float64) string {
	switch {
	case µs < 1e3:
		return fmt.Sprintf("%.3g µs", µs)
	case µs < 1e6:
		return fmt.Sprintf("%.3g ms", µs/1e3)
	}
	return fmt.Sprintf("%.3g s", µs/1e6)
}

// The picture, in units of its own, and the part of it that the axes enclose.
const (
	width, height            = 440, 250
	left, right, top, bottom = 62, 402, 34, 210
)

const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s">
<style>
text { font: 12px system-ui, sans-serif; fill: #24292f }
.grid { stroke: #d0d7de }
.curve { stroke: #0b4fa8; stroke-width: 2; fill: none }
circle { fill: #0b4fa8 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .grid { stroke: #3d444d } .curve { stroke: #79b8ff } circle { fill: #79b8ff }
}
</style>
<text x="%d" y="20" font-weight="bold">%s</text>
`

// draw returns the picture of a curve: a line across for each power of ten.
func draw(title string, p []point) string {
	x := newAxis(p[0].n, p[len(p)-1].n, left, right)
	least := slices.MinFunc(p, func(a, b point) int { return cmp.Compare(a.cost, b.cost) })
	most := slices.MaxFunc(p, func(a, b point) int { return cmp.Compare(a.cost, b.cost) })
	y := newAxis(least.cost, most.cost, bottom, top)
	var out strings.Builder
	fmt.Fprintf(&out, head, width, height, width, height, title, 12, title)
	for _, n := range x.ticks() {
		fmt.Fprintf(&out, `<path class="grid" d="M%.1f %dV%d"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n", x.at(n), top, bottom, x.at(n), bottom+18, number(n))
	}
	for _, cost := range y.ticks() {
		fmt.Fprintf(&out, `<path class="grid" d="M%d %.1fH%d"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n", left, y.at(cost), right, left-6, y.at(cost)+4, duration(cost))
	}
	fmt.Fprintf(&out, `<text x="%d" y="%d" text-anchor="middle">n</text>`+"\n", (left+right)/2, bottom+34)
	for i, p := range p {
		fmt.Fprintf(&out, "%s%.1f %.1f", map[bool]string{true: `<path class="curve" d="M`, false: "L"}[i == 0], x.at(p.n), y.at(p.cost))
	}
	out.WriteString(`"/>` + "\n")
	for _, p := range p {
		fmt.Fprintf(&out, `<circle cx="%.1f" cy="%.1f" r="3.5"><title>%s: %s</title></circle>`+"\n", x.at(p.n), y.at(p.cost), number(p.n), duration(p.cost))
	}
	return out.String() + "</svg>\n"
}

// axis puts numbers, from a power of ten to another one, between two places.
type axis struct{ low, high, from, to float64 }

func newAxis(least, most, from, to float64) axis {
	low, high := math.Floor(math.Log10(least)+1e-9), math.Ceil(math.Log10(most)-1e-9)
	return axis{low, max(high, low+1), from, to}
}

func (a axis) at(n float64) float64 {
	return a.from + (math.Log10(n)-a.low)/(a.high-a.low)*(a.to-a.from)
}

func (a axis) ticks() (list []float64) {
	for e := a.low; e <= a.high; e++ {
		list = append(list, math.Pow(10, e))
	}
	return list
}
