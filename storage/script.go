package storage

import (
	"embed"
	"strings"
)

// The scripts of 15 lines and more, and the parts that several scripts share. A script begins with its keys and arguments by name; a part
// defines functions only.
//
//go:embed lua/*.lua
var luaFiles embed.FS

// lua joins files of the folder lua into the source of one script: the parts, each before those that call it, and the script last.
func lua(names ...string) string {
	var source strings.Builder
	for _, name := range names {
		text, err := luaFiles.ReadFile("lua/" + name + ".lua")
		if err != nil {
			panic(err) // at the start of every program and test: the file is not there
		}
		source.Write(text)
		source.WriteByte('\n')
	}
	return source.String()
}
