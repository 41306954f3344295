if a:
    b = """x
y"""

    c
