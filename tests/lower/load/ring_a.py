from ring_b import B

A = 1
