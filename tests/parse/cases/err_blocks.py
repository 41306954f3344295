class A:
    x = 1 2
    @func
    def f(x):
        y = x +
        for i in range(3):
            z = (i
                 + 1))
        return y

    def skipped(self):
        1 2

    w = )
if a b:
    c = 1 2
else:
    d = 3 4
elif e:
    f
