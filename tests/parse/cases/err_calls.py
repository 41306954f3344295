f(a=1, b)
f(a=1, a=2)
f(a for a in b, c)
f(c, a for a in b)
f(**a, *b)
def f(a, a): pass
def f(a=1, b): pass
def f(*, **a): pass
def f(*): pass
def f(*a, *b): pass
def f(/, a): pass
def f(**a, b): pass
def f(a, *, b, /): pass
def f((a, b)): pass
