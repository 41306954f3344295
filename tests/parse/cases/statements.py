"""A docstring."""
import a
import a.b.c, d as e, f.g as h
from a import b
from a.b import c as d, e
from a import (b,
               c as d,)
from . import a
from .a import *
from ... import a
from ....a.b import c
x = 1
x = y = z = 1
x, y = y, x
(x, [y, *z]) = w
x.a = x[0] = 1
x: int
x: int = 1
x.a: "int" = 2
pass; pass
del x, y[0]
assert x, "text"
raise
raise x
raise x from y
global a, b
type X = int
type Y[T, *Ts, **P] = list[T]
type = match = case = 1
match(x)
match[x] = 1
print(x)
if x: pass
if x:
    pass
elif y:
    pass
elif z:
    pass
else:
    pass
while x:
    break
else:
    continue
for x in y: pass
for x, y in z, w:
    pass
else:
    pass
for (x) in [1, 2]: pass
with a: pass
with a as b, c as (d, e):
    pass
with (a as b, c as d,):
    pass
with (a, b): pass
with (a): pass
with (a).b as c: pass
with (a for a in b) as c: pass
try:
    a
except b:
    c
except (d, e) as f:
    g
else:
    h
finally:
    i
try:
    a
except* b:
    c
try: a
finally: b
match x, y:
    case 1 | 2 if z:
        a
    case {"k": [b, *c], **d} as e:
        f
    case Point(x=0): g
    case _:
        pass
class A: pass
class B(A, metaclass=C):
    """Text."""
    x = 1

    class D[T]:
        pass
@a
@b.c(d)
class E:
    pass
if x:
  two = 1
  if y:
        eight = 2
  back = 3
