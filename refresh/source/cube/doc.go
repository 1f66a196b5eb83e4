// Package cube is the source of Cube semantic layers, through their REST API.
package cube
