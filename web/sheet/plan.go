package sheet

import (
	"bytes"
	"context"
	"io"
	"iter"
	"strconv"

	"mooring/checksum"
	"mooring/refresh"
	"mooring/refresh/host"
	"mooring/storage/record"
)

// WritePlan writes a plan in pieces. What it takes beside the plan does not depend on the plan's size.
func WritePlan(ctx context.Context, out io.Writer, plan *refresh.ClientPlan) error {
	head, err := record.EncodeBytes(headOf(plan))
	if err != nil {
		return err
	}
	p := &plan.Patch
	buffer := append(bytes.TrimSuffix(head, []byte("}}")), `,"rows":[`...)
	for i, span := range p.Rows {
		if i > 0 {
			buffer = append(buffer, ',')
		}
		if buffer, err = writePatchRows(ctx, out, buffer, p, span); err != nil {
			return err
		}
	}
	if buffer, err = writeFormulas(ctx, out, append(buffer, ']'), plan.Formulas); err != nil {
		return err
	}
	_, err = out.Write(append(buffer, "}}\n"...))
	return err
}

// writePatchRows appends rows to write.
func writePatchRows(ctx context.Context, out io.Writer, buffer []byte, p *host.Patch, span checksum.Span) ([]byte, error) {
	var cells []checksum.Cell
	buffer = append(AppendSpan(buffer, span), `,"cells":[`...)
	return WriteRows(ctx, out, buffer, span, func(buffer []byte, row int) []byte {
		cells = p.Grid.Cells(row, cells[:0])
		formulas := p.FormulasIn(row)
		if len(formulas) == 0 {
			return AppendCells(buffer, cells, p.Extent.Columns)
		}
		return appendTyped(buffer, cells, formulas, p.Extent.Columns)
	})
}

// appendTyped is AppendCells for a row with formulas: {"formula":"=A1*2"} to write one, {"keep":true} for a cell that stays as it stands.
func appendTyped(out []byte, cells []checksum.Cell, formulas []host.Formula, columns int) []byte {
	out = append(out, '[')
	for i := range columns {
		if i > 0 {
			out = append(out, ',')
		}
		switch {
		case len(formulas) == 0 || formulas[0].Column != i:
			out = AppendCell(out, checksum.CellAt(cells, i))
			continue
		case formulas[0].Text == "":
			out = append(out, `{"keep":true}`...)
		default:
			out = append(AppendText(append(out, `{"formula":`...), formulas[0].Text), '}')
		}
		formulas = formulas[1:]
	}
	return append(out, ']')
}

// writeFormulas appends the formulas to write around the block.
func writeFormulas(ctx context.Context, out io.Writer, buffer []byte, list []refresh.ClientFormulas) ([]byte, error) {
	for i := range list {
		f, before := &list[i], ","
		if i == 0 {
			before = `,"formulas":[`
		}
		buffer = AppendText(append(append(buffer, before...), `{"sheet":`...), f.Sheet)
		buffer = strconv.AppendInt(append(buffer, `,"row":`...), int64(f.At.Row), 10)
		buffer = strconv.AppendInt(append(buffer, `,"column":`...), int64(f.At.Column), 10)
		if f.Was != nil {
			buffer = strconv.AppendInt(append(buffer, `,"was":{"row":`...), int64(f.Was.Row), 10)
			buffer = append(AppendText(append(buffer, `,"text":`...), f.Was.Text), '}')
		}
		var err error
		if buffer, err = writeTexts(ctx, out, append(buffer, `,"texts":[`...), f.Texts()); err != nil {
			return buffer, err
		}
	}
	if len(list) > 0 {
		buffer = append(buffer, ']')
	}
	return buffer, nil
}

// writeTexts appends strings, and the end of their array and object, sending the buffer whenever it is full.
func writeTexts(ctx context.Context, out io.Writer, buffer []byte, texts iter.Seq[string]) ([]byte, error) {
	first := true
	for text := range texts {
		if !first {
			buffer = append(buffer, ',')
		}
		buffer, first = AppendText(buffer, text), false
		if len(buffer) < flush {
			continue
		}
		if err := ctx.Err(); err != nil {
			return buffer, err
		}
		if _, err := out.Write(buffer); err != nil {
			return buffer, err
		}
		buffer = buffer[:0]
	}
	return append(buffer, "]}"...), nil
}
