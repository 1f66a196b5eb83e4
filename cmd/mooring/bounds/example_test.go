package bounds_test

import (
	"errors"
	"fmt"
	"strings"

	"mooring/cmd/mooring/bounds"
)

func ExampleTokens() {
	tokens, err := bounds.Tokens("name: Revenue\n")
	fmt.Println(len(tokens), err)

	_, err = bounds.Tokens("name: " + strings.Repeat("[", 1000))
	if deep, ok := errors.AsType[*bounds.Error](err); ok {
		fmt.Printf("%d:%d: %s\n", deep.Line, deep.Column, deep.Message)
	}
	// Output:
	// 3 <nil>
	// 1:107: brackets stand more than 100 deep: write it flatter
}
