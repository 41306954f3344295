a = b)
a = (b]
a = {b)
c = 1 2
