package checksum

import (
	"encoding/binary"
	"errors"
)

// blockHeader begins a stored BlockRows; its last byte is the version.
const blockHeader = "MBLK\x01"

// ErrBlock is why UnmarshalBinary refuses bytes that are no stored BlockRows of a known version.
var ErrBlock = errors.New("not a stored block of a known version")

// MarshalBinary returns the block's stored form: the header, then uvarint columns, uvarint rows, and 8 bytes a row,
// little-endian.
func (b BlockRows) MarshalBinary() ([]byte, error) {
	out := make([]byte, 0, len(blockHeader)+2*binary.MaxVarintLen64+8*len(b.Fingerprints))
	out = append(out, blockHeader...)
	out = binary.AppendUvarint(out, uint64(b.Columns))
	out = binary.AppendUvarint(out, uint64(len(b.Fingerprints)))
	for _, fingerprint := range b.Fingerprints {
		out = binary.LittleEndian.AppendUint64(out, fingerprint)
	}
	return out, nil
}

// UnmarshalBinary reads what MarshalBinary returned. Anything else is ErrBlock and leaves b as it was.
func (b *BlockRows) UnmarshalBinary(data []byte) error {
	if len(data) < len(blockHeader) || string(data[:len(blockHeader)]) != blockHeader {
		return ErrBlock
	}
	data = data[len(blockHeader):]
	columns, n := binary.Uvarint(data)
	if n <= 0 || columns > maxColumns {
		return ErrBlock
	}
	data = data[n:]
	rows, n := binary.Uvarint(data)
	if n <= 0 || len(data[n:])%8 != 0 || rows != uint64(len(data[n:])/8) {
		return ErrBlock
	}
	data = data[n:]
	fingerprints := make([]uint64, rows)
	for i := range fingerprints {
		fingerprints[i] = binary.LittleEndian.Uint64(data[8*i:])
	}
	*b = BlockRows{Fingerprints: fingerprints, Columns: int(columns)}
	return nil
}

// maxColumns bounds what a stored block may claim; no spreadsheet is nearly as wide.
const maxColumns = 1 << 24
