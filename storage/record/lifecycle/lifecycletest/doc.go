// Package lifecycletest is a model of runs and of what works on them, whose every step is one of package lifecycle: searched to the end, it shows
// what the table of rules allows; walked at random beside the storage, it shows that the storage does the same.
package lifecycletest
