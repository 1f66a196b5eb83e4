package queue

import (
	"embed"

	"mooring/storage/redis"
)

// The scripts of 15 lines and more, and the parts that several scripts share. A script begins with its keys and arguments by name; a part
// defines functions only.
//
//go:embed lua/*.lua
var luaFiles embed.FS

// Lua joins files of the folder lua. Other scripts than those of this package use its parts publish, listing, and complete, which
// comes after both and defines a function that transactions may call.
func Lua(names ...string) string { return redis.JoinLua(luaFiles, names...) }
