f(x) = 1
1 = x
x + y = 2
a < b = 3
(a, f(x)) = y
[a, 1] = y
x = None = 3
a, b: int = 1, 2
a, b += 1
f(x): int
f(a) += 1
