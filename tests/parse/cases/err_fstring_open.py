a = f"""{x} never
b = 1 2
