package archive

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mooring/storage/backup"
	"mooring/storage/redis"
)

// How much of what is copied is in memory at once.
const (
	together  = 64      // keys of which the first part is read in one round trip
	partItems = 200     // fields, members or entries of a part, about
	partBytes = 1 << 18 // of a text
)

// copyKeys writes keys as they are now.
func (c *tenantCopy) copyKeys(ctx context.Context, names []string) error {
	for some := range slices.Chunk(names, together) {
		if err := c.copySome(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

// look is what is asked of a key before it is read.
type look struct {
	kind    *redis.StatusCmd
	expires *redis.DurationCmd
}

func (c *tenantCopy) copySome(ctx context.Context, names []string) error {
	p := c.rdb.Pipeline()
	looks := make([]look, len(names))
	for i, name := range names {
		looks[i] = look{p.Type(ctx, name), p.PExpireTime(ctx, name)}
	}
	if _, err := p.Exec(ctx); err != nil {
		return redis.Unavailable(err)
	}
	parts := make([]*part, 0, len(names))
	p = c.rdb.Pipeline()
	for i, name := range names {
		rest := strings.TrimPrefix(name, c.prefix)
		if looks[i].kind.Val() == "none" {
			delete(c.streams, name)
			if err := c.out.Drop(rest); err != nil {
				return err
			}
			continue
		}
		kind, known := kinds[looks[i].kind.Val()]
		if !known {
			return fmt.Errorf("key %s is of the type %s, which Mooring does not use", name, looks[i].kind.Val())
		}
		one := &part{name: name, kind: kind, cursor: c.streams[name]}
		one.piece = backup.Piece{Key: rest, Kind: one.kind, First: one.cursor == ""}
		if at := looks[i].expires.Val(); at > 0 {
			one.piece.Expires = at.Milliseconds()
		}
		one.ask(ctx, p)
		parts = append(parts, one)
	}
	if len(parts) == 0 {
		return nil
	}
	_, _ = p.Exec(ctx) // each command's own error says more
	for _, one := range parts {
		if err := c.copyParts(ctx, one); err != nil {
			return err
		}
	}
	return nil
}

// copyParts writes a part of a key that was read, and reads and writes those that follow.
func (c *tenantCopy) copyParts(ctx context.Context, one *part) error {
	for {
		more, err := one.take()
		if err != nil {
			return err
		}
		if one.piece.First || len(one.piece.Items) > 0 {
			if err := c.out.Piece(one.piece); err != nil {
				return err
			}
		}
		if one.kind == backup.Stream {
			c.streams[one.name] = one.cursor
		}
		if !more {
			return nil
		}
		one.piece.First = false
		p := c.rdb.Pipeline()
		one.ask(ctx, p)
		_, _ = p.Exec(ctx)
	}
}

// kinds are the kinds of the types that the server names.
var kinds = map[string]backup.Kind{
	"string": backup.String, "hash": backup.Hash, "set": backup.Set, "zset": backup.Sorted, "list": backup.List, "stream": backup.Stream,
}

// part is a key that is read in parts. The cursor is where the next one begins: an offset, what a scan returned, or the last entry of a
// stream: what a stream has no other part changes, so that entries which were copied are not copied again.
type part struct {
	name   string
	kind   backup.Kind
	cursor string
	piece  backup.Piece
	text   *redis.StringCmd
	scan   *redis.ScanCmd
	list   *redis.StringSliceCmd
	stream *redis.XMessageSliceCmd
}

func (o *part) offset() int64 {
	n, _ := strconv.ParseInt(o.cursor, 10, 64) // empty: from the beginning
	return n
}

// ask adds the command that reads the next part.
func (o *part) ask(ctx context.Context, p redis.Pipeliner) {
	cursor, _ := strconv.ParseUint(o.cursor, 10, 64)
	switch o.kind {
	case backup.String:
		o.text = p.GetRange(ctx, o.name, o.offset(), o.offset()+partBytes-1)
	case backup.Hash:
		o.scan = p.HScan(ctx, o.name, cursor, "", partItems)
	case backup.Set:
		o.scan = p.SScan(ctx, o.name, cursor, "", partItems)
	case backup.Sorted:
		o.scan = p.ZScan(ctx, o.name, cursor, "", partItems)
	case backup.List:
		o.list = p.LRange(ctx, o.name, o.offset(), o.offset()+partItems-1)
	case backup.Stream:
		from := "-"
		if o.cursor != "" {
			from = "(" + o.cursor
		}
		o.stream = p.XRangeN(ctx, o.name, from, "+", partItems)
	}
}

// take puts what was read into the piece, and reports whether more follows.
func (o *part) take() (more bool, err error) {
	switch o.kind {
	case backup.String:
		var text string
		text, err = o.text.Result()
		o.piece.Items = []string{text}
		o.cursor = strconv.FormatInt(o.offset()+int64(len(text)), 10)
		more = len(text) == partBytes
	case backup.List:
		o.piece.Items, err = o.list.Result()
		o.cursor = strconv.FormatInt(o.offset()+int64(len(o.piece.Items)), 10)
		more = len(o.piece.Items) == partItems
	case backup.Stream:
		more, err = o.takeEntries()
	default:
		var next uint64
		o.piece.Items, next, err = o.scan.Result()
		o.cursor = strconv.FormatUint(next, 10)
		more = next != 0
	}
	return more, redis.Unavailable(err)
}

func (o *part) takeEntries() (more bool, err error) {
	o.piece.Items = nil
	entries, err := o.stream.Result()
	for _, entry := range entries {
		o.piece.Items = append(o.piece.Items, entry.ID, strconv.Itoa(2*len(entry.Values)))
		for _, field := range slices.Sorted(maps.Keys(entry.Values)) {
			o.piece.Items = append(o.piece.Items, field, redis.Text(entry.Values[field]))
		}
		o.cursor = entry.ID
	}
	return len(entries) == partItems, err
}
