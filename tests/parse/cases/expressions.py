-a ** -b
not a == b
a - b - c
a ** b ** c
a < b < c
-a[0].b(c)
(a), ((a)), (a,), (), (a, b)
a, *b, c
[a, *b], {a, *b}, {**a, b: c, **d}
f(), f(a), f(a, *b, c=d, **e), f(a for a in b), f(a := b), f(*a or b)
f(a, b=c,)
x[a], x[a, b], x[a:b], x[:], x[::], x[a:b:c], x[:, a:, :b], x[a,], x[*a], x[(a, b)], x[a:=b]
[a for b in c], {a for b in c if d}, (a for b, c in d), {a: b for c in d}, [a for b in c for d in e if f if g]
lambda: a, lambda a, b=1, *c, d, e=2, **f: a, lambda *, a: a, lambda a, /, b: b
a if b else c if d else e
(yield), (yield a), (yield from b)
a.b.c.d
a or b and not c
a | b ^ c & d << e + f * -g ** h
"s".join(x)[0](1)
x[a if b else c : d]
