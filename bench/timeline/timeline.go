// Package timeline draws what happened in a heap: live and allocated bytes and pauses over the time of a run, as an SVG.
package timeline

import (
	"fmt"
	"image/color"
	"io"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Point is the state after a collection.
type Point struct {
	At        time.Duration // since the start of the run
	Live      uint64        // bytes of objects found live, of all heaps
	Held      int64         // bytes of memory that heaps have
	Allocated uint64        // bytes handed out since the start
	Pause     time.Duration // of this collection
	Full      bool
}

// Size of the picture in points.
const (
	width  = 9 * vg.Inch
	height = 8 * vg.Inch
)

var (
	blue   = color.RGBA{R: 0x1f, G: 0x77, B: 0xb4, A: 0xff}
	orange = color.RGBA{R: 0xff, G: 0x7f, B: 0x0e, A: 0xff}
	red    = color.RGBA{R: 0xd6, G: 0x27, B: 0x28, A: 0xff}
)

const mib = 1 << 20

// SVG writes the picture of a run: above, what is live and what heaps hold; in the middle, what has been allocated; below, the
// pauses, full collections in red. points are in the order of time; there may be none.
func SVG(w io.Writer, title string, points []Point) error {
	heap, err := memory(title, points)
	if err != nil {
		return err
	}
	total, err := allocated(points)
	if err != nil {
		return err
	}
	stops, err := pauses(points)
	if err != nil {
		return err
	}
	canvas := vgsvg.New(width, height)
	rows := [][]*plot.Plot{{heap}, {total}, {stops}}
	tiles := draw.Tiles{Rows: len(rows), Cols: 1, PadY: vg.Points(12), PadTop: vg.Points(4), PadBottom: vg.Points(4), PadLeft: vg.Points(4), PadRight: vg.Points(12)}
	for i, c := range plot.Align(rows, tiles, draw.New(canvas)) {
		rows[i][0].Draw(c[0])
	}
	_, err = canvas.WriteTo(w)
	return err
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// xys are the points of a curve.
func xys(points []Point, y func(Point) float64) plotter.XYs {
	list := make(plotter.XYs, len(points))
	for i, p := range points {
		list[i].X, list[i].Y = millis(p.At), y(p)
	}
	return list
}

// panel is one of the three plots; all have the same axis of time.
func panel(points []Point, unit string) *plot.Plot {
	p := plot.New()
	p.Y.Label.Text = unit
	p.Y.Min = 0
	p.X.Min, p.X.Max = 0, 1
	if n := len(points); n > 0 {
		p.X.Max = max(1, millis(points[n-1].At))
	}
	p.Add(plotter.NewGrid())
	p.Legend.Top, p.Legend.Left = true, true
	return p
}

// curve adds a line with a legend.
func curve(p *plot.Plot, name string, c color.Color, list plotter.XYs) error {
	if len(list) == 0 {
		return nil
	}
	line, err := plotter.NewLine(list)
	if err != nil {
		return fmt.Errorf("timeline: %s: %w", name, err)
	}
	line.Color = c
	p.Add(line)
	p.Legend.Add(name, line)
	return nil
}

func memory(title string, points []Point) (*plot.Plot, error) {
	p := panel(points, "MiB")
	p.Title.Text = title
	if err := curve(p, "held", orange, xys(points, func(q Point) float64 { return float64(q.Held) / mib })); err != nil {
		return nil, err
	}
	return p, curve(p, "live", blue, xys(points, func(q Point) float64 { return float64(q.Live) / mib }))
}

func allocated(points []Point) (*plot.Plot, error) {
	p := panel(points, "MiB")
	return p, curve(p, "allocated", blue, xys(points, func(q Point) float64 { return float64(q.Allocated) / mib }))
}

func pauses(points []Point) (*plot.Plot, error) {
	p := panel(points, "us")
	p.X.Label.Text = "ms"
	for _, kind := range []struct {
		name string
		full bool
		c    color.Color
	}{{"pause, minor", false, blue}, {"pause, full", true, red}} {
		var list plotter.XYs
		for _, q := range points {
			if q.Full == kind.full {
				list = append(list, plotter.XY{X: millis(q.At), Y: float64(q.Pause) / float64(time.Microsecond)})
			}
		}
		if len(list) == 0 {
			continue
		}
		dots, err := plotter.NewScatter(list)
		if err != nil {
			return nil, fmt.Errorf("timeline: %s: %w", kind.name, err)
		}
		dots.Color, dots.Radius, dots.Shape = kind.c, vg.Points(1.5), draw.CircleGlyph{}
		p.Add(dots)
		p.Legend.Add(kind.name, dots)
	}
	return p, nil
}
