a = 
a = b +
a = (b c)
a = [b c]
a = {b: c d}
a = {b: c, d}
a = f(b c)
a = f(, b)
a = [b,, c]
a = x[b c]
a = x[]
a = b if c
a = lambda b
a = b.
a = b.1
a = not
a = * b
a = [*b for b in c]
a = (*b)
a = [b for in c]
a = [b for c d]
if a = b:
    c
if a
    b
while a b: c
for a b: c
for a in b
    c
def
def f
def f(a b): pass
def f(a) b: pass
class
with a as: pass
import
import a.
import a as
from a
from a import
from a import (b, , c)
from import b
from . b import c
@
@a
b = 1
async a
try:
    a
b
global
del
pass a
return
type X
