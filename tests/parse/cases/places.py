# where each node stands
a = (b) + c.d(e, f=g)[h:i]
(a, b) = c, d
é = 'ü' + ö
x: Tensor[(4 @ m.c, 8), "f32"] = where(layout=(a, b))
a = [i for i in (1, 2) if i], (i for i in x), f(i for i in y)
a = -(b), not c, (d) if e else (f), lambda: g
with m[0:2] as h:
    y = """two
lines""" + z
for i in tile(8, 4):
    pass
@func
def f(x: int,
      y=1): return x
if a:
    b
elif c:
    d
