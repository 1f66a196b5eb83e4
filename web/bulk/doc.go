// Package bulk is what the actions on many assets have in common: who may do them, how many they may meet, and what became of each.
package bulk
