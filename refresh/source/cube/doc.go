// Package cube is the source of Cube semantic layers, through their REST API. A query is SQL or a Cube query in JSON; the layer's own
// limits hold, and a result that they cut off is a fault. Totals of pivots are asked of the layer, which alone can compute them.
package cube
