a = 'open
b = "open \
still
c = '\x4'
d = '\u12'
e = '\U00110000'
f = '\N'
g = b'é'
h = zz"x"
i = '\N{BULLET'
