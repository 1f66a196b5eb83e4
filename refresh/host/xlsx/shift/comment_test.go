package shift_test

import "testing"

var commentTests = []partTest{
	{
		name: "comments move", kind: "comments", by: inserted,
		doc:  `<comments><commentList><comment ref="A9"/><comment ref="B9" authorId="0"><text><t>B9</t></text></comment><comment ref="B4"/></commentList></comments>`,
		want: `<comments><commentList><comment ref="A9"/><comment ref="B11" authorId="0"><text><t>B9</t></text></comment><comment ref="B4"/></commentList></comments>`,
	},
	{
		name: "comments of deleted cells go", kind: "comments", by: deleted,
		doc:  `<x:comments><x:commentList><x:comment ref="C5"><x:text><x:t>a</x:t></x:text></x:comment> <x:comment ref="C7"/><x:comment ref="D6"/></x:commentList></x:comments>`,
		want: `<x:comments><x:commentList> <x:comment ref="C5"/></x:commentList></x:comments>`,
	},
	{name: "comments above stay", kind: "comments", by: deleted, doc: `<comments><commentList><comment ref="C4"/></commentList></comments>`},
	{
		name: "threads move with their replies, and go with them", kind: "threadedComment", by: deleted,
		doc: `<ThreadedComments><threadedComment ref="B5" id="{1}"><text>a</text></threadedComment><threadedComment ref="B5" id="{2}" parentId="{1}"><text>b</text>` +
			`</threadedComment><threadedComment ref="B8" id="{3}"><text>c</text></threadedComment><threadedComment ref="B8" id="{4}" parentId="{3}"/></ThreadedComments>`,
		want: `<ThreadedComments><threadedComment ref="B6" id="{3}"><text>c</text></threadedComment><threadedComment ref="B6" id="{4}" parentId="{3}"/></ThreadedComments>`,
	},
}

func TestComments(t *testing.T) { runPartTests(t, commentTests) }
