package redis

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/redis/go-redis/v9"
)

// A snapshot file is snapshotMagic, then the SHA-256 of what follows, then a gob of []snapshotKey.
const snapshotMagic = "mooring snapshot 1\n"

var errCorrupt = errors.New("damaged, or not a snapshot of this version: move it away to start empty, or put back a copy")

// snapshotKey is one key. Items are the key's content: a string's value, a hash's fields and values, a set's or list's members, a sorted
// set's members and scores, a stream's groups (count, then name and last delivered id of each) and entries (id, count of words, words).
type snapshotKey struct {
	Name    string
	Type    string
	Expires int64 // Unix ms; 0: never
	Items   []string
}

// dumpScript reads everything in one step, since a save must not see half a commit. Only the embedded server ever runs it.
//
//	result {name, type, ttl, {items…}} of every key
var dumpScript = redis.NewScript(`
local function stream(key)
  local out = {}
  local groups = redis.call('XINFO', 'GROUPS', key)
  out[1] = tostring(#groups)
  for _, g in ipairs(groups) do
    local name, last = '', ''
    for i = 1, #g, 2 do
      if g[i] == 'name' then name = g[i + 1] end
      if g[i] == 'last-delivered-id' then last = g[i + 1] end
    end
    local pending = redis.call('XPENDING', key, name)
    if pending[1] ~= 0 and pending[2] then last = 'before ' .. pending[2] end
    out[#out + 1] = name
    out[#out + 1] = last
  end
  for _, e in ipairs(redis.call('XRANGE', key, '-', '+')) do
    out[#out + 1] = e[1]
    out[#out + 1] = tostring(#e[2])
    for _, word in ipairs(e[2]) do out[#out + 1] = word end
  end
  return out
end
local read = {
  string = function(key) return {redis.call('GET', key)} end,
  hash = function(key) return redis.call('HGETALL', key) end,
  set = function(key) return redis.call('SMEMBERS', key) end,
  list = function(key) return redis.call('LRANGE', key, 0, -1) end,
  zset = function(key) return redis.call('ZRANGE', key, 0, -1, 'WITHSCORES') end,
  stream = stream,
}
local out = {}
for _, key in ipairs(redis.call('KEYS', '*')) do
  local kind = redis.call('TYPE', key)
  if type(kind) == 'table' then kind = kind.ok end
  out[#out + 1] = {key, kind, redis.call('PTTL', key), read[kind](key)}
end
return out`)

// save replaces the snapshot by what the server holds now, if that is something else. The old one stays whole until the new one is on the
// disk.
func (e *Embedded) save() error {
	if e.path == "" {
		return nil
	}
	keys, err := e.dump()
	if err != nil {
		return err
	}
	var body bytes.Buffer
	if err := gob.NewEncoder(&body).Encode(keys); err != nil {
		return err
	}
	sum := sha256.Sum256(body.Bytes())
	if sum == e.saved {
		return nil
	}
	if err := writeSnapshot(e.path, sum, body.Bytes()); err != nil {
		return err
	}
	e.saved = sum
	return nil
}

func (e *Embedded) dump() ([]snapshotKey, error) {
	rdb := e.client()
	defer rdb.Close()
	rows, err := dumpScript.Run(context.Background(), rdb, nil).Slice()
	if err != nil {
		return nil, err
	}
	now := time.Now().UnixMilli()
	keys := make([]snapshotKey, len(rows))
	for i, row := range rows {
		cells, ok := row.([]any)
		if !ok || len(cells) != 4 {
			return nil, fmt.Errorf("dump: unexpected row %d", i)
		}
		k := &keys[i]
		k.Name, _ = cells[0].(string)
		k.Type, _ = cells[1].(string)
		if ttl, _ := cells[2].(int64); ttl >= 0 {
			k.Expires = now + ttl
		}
		items, _ := cells[3].([]any)
		for _, item := range items {
			text, _ := item.(string)
			k.Items = append(k.Items, text)
		}
	}
	return keys, nil
}

// writeSnapshot writes the file in the room reserved for it and moves it to its place once it is on the disk.
func writeSnapshot(path string, sum [sha256.Size]byte, body []byte) error {
	next := path + reservedSuffix
	f, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	for _, part := range [][]byte{[]byte(snapshotMagic), sum[:], body} {
		if _, err := f.Write(part); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	err = f.Truncate(int64(len(snapshotMagic) + len(sum) + len(body)))
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(next, path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// The room that is reserved beside the last snapshot for the next one, so that what is written meanwhile can be saved when the disk is full.
const (
	reservedSuffix = ".next"
	leastGrowth    = 1 << 20 // bytes
)

// reserve makes the next file as large as the last snapshot and what it may grow by. What it gets of that it keeps. The next snapshot is due
// when half of the growth was sent.
func (e *Embedded) reserve() error {
	last, err := os.Stat(e.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	f, err := os.OpenFile(e.path+reservedSuffix, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	has, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	growth := max(leastGrowth, last.Size()/4)
	e.most.Store(growth / 2)
	want := last.Size() + growth
	zeros := make([]byte, 1<<16)
	if has >= want {
		return f.Close()
	}
	for ; has < want && err == nil; has += int64(len(zeros)) {
		_, err = f.Write(zeros)
	}
	return errors.Join(err, f.Sync(), f.Close())
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// restore fills the empty server from the snapshot; without one it stays empty.
func (e *Embedded) restore() error {
	if err := os.MkdirAll(filepath.Dir(e.path), 0o700); err != nil {
		return err
	}
	file, err := os.ReadFile(e.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	keys, err := readSnapshot(file)
	if err != nil {
		return err
	}
	rdb := e.client()
	defer rdb.Close()
	for _, k := range keys {
		if err := k.restore(context.Background(), rdb); err != nil {
			return fmt.Errorf("%w (key %s: %w)", errCorrupt, k.Name, err)
		}
	}
	return nil
}

func readSnapshot(file []byte) (keys []snapshotKey, err error) {
	rest, ok := bytes.CutPrefix(file, []byte(snapshotMagic))
	if !ok || len(rest) < sha256.Size {
		return nil, errCorrupt
	}
	body := rest[sha256.Size:]
	if sum := sha256.Sum256(body); !bytes.Equal(sum[:], rest[:sha256.Size]) {
		return nil, errCorrupt
	}
	if err := gob.NewDecoder(bytes.NewReader(body)).Decode(&keys); err != nil {
		return nil, fmt.Errorf("%w (%w)", errCorrupt, err)
	}
	return keys, nil
}
