package checksum

// ResultChecksum is the wire form of a result's digest (interface.md, ResultChecksum). Version 2 is ours; others are a
// client's own and are kept as sent.
type ResultChecksum struct {
	V      int     `json:"v"`
	Chunks []Chunk `json:"chunks"`
}

// Chunk covers rows [From,To) of a result, row 0 being the header. Hash is lower-case hex.
type Chunk struct {
	From int    `json:"from"`
	To   int    `json:"to"`
	Hash string `json:"hash"`
}
