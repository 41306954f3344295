retrun x
esle:
    a
fro x in y:
    b
a = 1 2
calss A: pass
b c
