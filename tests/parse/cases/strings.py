a = 'single', "double", '', "", 'it\'s', "a \"b\""
a = '''triple 'quotes' here''', """two
lines"""
a = 'tab\t nl\n \\ \a\b\f\v\r \x41 \101 \u00e9 \U0001F600 \q \
joined'
raw = r'\n\x', R"\"", r'''\
'''
u = u'text', U"text"
joined = 'one' "two" '''three'''
joined = ('over'
          ' lines')
b = b'bytes', rb'\x', Br"\y", b'\xff' b'more'
odd = 'nul \0', '\ud800', '\N{BULLET}', 'é'
