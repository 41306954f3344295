a = f'plain', f"", f'{x}', f'a{x}b{y}c'
a = f'{{x}} {x} {{{x}}}'
a = f'{x!r}', f'{x:>10}', f'{x!s:{width}.{precision}}', f'{x=}', f'{x = !r}'
a = f'{d["key"]}', f'{d['key']}', f'{x if y else z}', f'{(lambda: 1)()}', f'{a, b}'
a = f'{f"{f'{x}'}"}', rf'\d{x}\n', f'\x41{x}\n', fr"{x}\""
a = f'''{
    x
    + 1  # a comment
}
second'''
a = 'a' f'b{x}' "c" f'{y}' 'd'
a = f'{x:{{y}}}', f'{x!r:^{w}}', f'{x:%H:%M}'
a = f'{ {"k": 1}["k"] }'
layers = tuple(f"layer{i}" for i in range(3))
