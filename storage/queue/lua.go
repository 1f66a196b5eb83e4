package queue

import (
	"embed"

	"mooring/storage/record/lifecycle"
	"mooring/storage/redis"
)

// The scripts of 15 lines and more, and the parts that several scripts share. A script begins with its keys and arguments by name; a part
// defines functions only.
//
//go:embed lua/*.lua
var luaFiles embed.FS

// Lua joins files of the folder lua, behind the predicates of package lifecycle that they ask. Other scripts than those of this package use its
// parts publish, listing, offer, wake, and complete, which comes after the first three and defines a function that transactions may call.
func Lua(names ...string) string { return lifecycle.Lua(redis.JoinLua(luaFiles, names...)) }
