# every token, one way or another
a = b + c - d * e / f // g % h @ i ** j
a = b & c | d ^ ~e << f >> g
a = b < c <= d > e >= f == g != h
a += 1; a -= 1; a *= 1; a /= 1; a //= 1; a %= 1; a @= 1; a **= 1
a &= 1; a |= 1; a ^= 1; a <<= 1; a >>= 1;
a = (b, [c, d], {e: f}, {g}, ..., x[...])
a = b if c else d
a = not b and c or d
a = b in c
a = b not in c
a = b is c
a = b is not None
(a := True, False)
a = 1 + \
    2
a = (1 +  # a comment in brackets
     2)
α = πr2 = 3
