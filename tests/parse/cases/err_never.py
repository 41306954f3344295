a = 1 2
def f(x):
    y = tf.exp(x
    return y
b = 1 2
