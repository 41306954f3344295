a = b $ c
a = “b”
a = b ? c
a ! b
a = b – c
é€ = 1
a = `b`
