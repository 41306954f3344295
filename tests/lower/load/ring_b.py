from ring_a import A

B = 2
