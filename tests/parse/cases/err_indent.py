  a = 1
if b:
c = 2
if d:
        e
    f
g = 3
    h = 4
    i = 5 6
for j in k:
# nothing
class L:
