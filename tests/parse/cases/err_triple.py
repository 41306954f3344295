a = 1 2
b = """never
closed
c = 1 2
