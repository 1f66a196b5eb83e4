package queue

import (
	"embed"
	"slices"

	"mooring/storage/record/lifecycle"
	"mooring/storage/redis"
)

// The scripts of 15 lines and more, and the parts that several scripts share. A script begins with its keys and arguments by name; a part
// defines functions only.
//
//go:embed lua/*.lua
var luaFiles embed.FS

// asks has the rules of package lifecycle that the files of the folder lua ask for.
var asks = map[string][]lifecycle.Rule{
	"arrive":       {lifecycle.Join, lifecycle.Await},
	"claim":        {lifecycle.Claim},
	"complete":     {lifecycle.Follow, lifecycle.StopWaiting},
	"enqueue":      {lifecycle.Enqueue},
	"fire":         {lifecycle.Skip, lifecycle.Await},
	"start_client": {lifecycle.StartClient},
	"stop":         {lifecycle.Stop, lifecycle.StopWaiting, lifecycle.StopClient},
	"wake":         {lifecycle.Wake},
}

// Lua joins files of the folder lua, behind the predicates that they need: see lifecycle.Lua. Other scripts than those of this package use its
// parts publish, listing, wake, and complete, which comes after the first two and defines a function that transactions may call.
func Lua(names ...string) string {
	var rules []lifecycle.Rule
	for _, name := range names {
		rules = append(rules, asks[name]...)
	}
	slices.Sort(rules)
	return lifecycle.LuaOpen() + lifecycle.Lua(slices.Compact(rules)...) + redis.JoinLua(luaFiles, names...)
}
