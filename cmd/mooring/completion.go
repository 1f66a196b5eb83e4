package main

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"mooring/cmd/mooring/process"

	"github.com/alecthomas/kong"
)

// completionScripts tell shells how to ask "mooring completion SHELL -- WORD…".
//
//go:embed completion
var completionScripts embed.FS

// completionCommand prints a shell's script, or, when that script asks, what may stand at the cursor. The answers are read from the
// declaration of the commands, so they need no second list.
type completionCommand struct {
	Shell string   `arg:"" enum:"bash,zsh,fish" help:"The shell: bash, zsh or fish."`
	Words []string `arg:"" optional:"" passthrough:"" help:"The words after mooring, the last one begun: what the script asks for."`
}

// Help shows how each shell reads its script.
func (completionCommand) Help() string {
	return "    source <(mooring completion bash)\n    source <(mooring completion zsh)\n    mooring completion fish | source\n"
}

// Run prints the script, or one candidate a line with a tab and its help.
func (c *completionCommand) Run(s *process.Invocation, parsed *kong.Context) error {
	if len(c.Words) == 0 {
		script, err := completionScripts.ReadFile("completion/mooring." + c.Shell)
		if err == nil {
			_, err = s.Stdout.Write(script)
		}
		return err
	}
	words := c.Words
	if words[0] == "--" {
		words = words[1:]
	}
	for _, found := range candidates(parsed.Model.Node, words) {
		fmt.Fprintf(s.Stdout, "%s\t%s\n", found.word, found.help)
	}
	return nil
}

// candidate is a word that may stand at the cursor.
type candidate struct{ word, help string }

// candidates returns what may stand for the last of words, which may be empty or begun: flags where a flag is begun, the values of what
// has a fixed set of them, commands. None means that anything may stand there, such as the name of a file.
func candidates(node *kong.Node, words []string) []candidate {
	if len(words) == 0 {
		return nil
	}
	node, pending, given := walk(node, words[:len(words)-1])
	begun := words[len(words)-1]
	var found []candidate
	switch {
	case pending != nil:
		found = valuesOf(pending)
	case strings.HasPrefix(begun, "-"):
		found = flagsOf(node)
	case len(node.Children) > 0:
		found = subcommandsOf(node)
	case given < len(node.Positional):
		found = valuesOf(node.Positional[given])
	}
	return slices.DeleteFunc(found, func(f candidate) bool { return !strings.HasPrefix(f.word, begun) })
}

// walk follows the words that are complete. It returns the command that they name, the flag that waits for its value, and the number of
// arguments given.
func walk(node *kong.Node, words []string) (at *kong.Node, pending *kong.Value, given int) {
	for i, word := range words {
		flag := flagNamed(node, word)
		child := childNamed(node, word)
		switch {
		case pending != nil:
			pending = nil
		case flag != nil && !flag.IsBool():
			pending = flag.Value
		case strings.HasPrefix(word, "-"), i == 0 && word == "help":
		case child != nil:
			node = child
		default:
			given++
		}
	}
	return node, pending, given
}

func flagNamed(node *kong.Node, word string) *kong.Flag {
	for _, group := range node.AllFlags(true) {
		for _, flag := range group {
			if word == "--"+flag.Name {
				return flag
			}
		}
	}
	return nil
}

func childNamed(node *kong.Node, word string) *kong.Node {
	for _, child := range node.Children {
		if child.Name == word {
			return child
		}
	}
	return nil
}

func subcommandsOf(node *kong.Node) (found []candidate) {
	for _, child := range node.Children {
		if !child.Hidden {
			found = append(found, candidate{child.Name, child.Help})
		}
	}
	return found
}

func flagsOf(node *kong.Node) (found []candidate) {
	for _, group := range node.AllFlags(true) {
		for _, flag := range group {
			found = append(found, candidate{"--" + flag.Name, flag.Help})
		}
	}
	return found
}

// valuesOf returns the values of a flag or argument that takes only certain ones.
func valuesOf(v *kong.Value) (found []candidate) {
	if v.Enum == "" {
		return nil
	}
	for _, value := range v.EnumSlice() {
		if value != "" { // which says that it may be left out
			found = append(found, candidate{value, v.Help})
		}
	}
	return found
}
