a = 0, 00, 0_0, 7, 1_000_000, 9223372036854775807
big = 9223372036854775808, 123456789012345678901234567890
based = 0x1F, 0XfF, 0o17, 0b1_01, 0x_ff, 0xFFFFFFFFFFFFFFFFFFFF
floats = 1.0, 1., .5, 1e3, 1E-3, 1_0.0_1e1_0, 1e400, 0.1, 00.5
imaginary = 1j, 2.5J, 1e3j
close = 1if x else 2
close = [0xfor x in y], 1or 2
