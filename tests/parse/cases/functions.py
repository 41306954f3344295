def skipped(self, a, b=1, /, c: int = 2, *args, d, e=3, **kw) -> int:
    no = rule is (looked at) here
    if True
    else

async def also(a, *, b): await a
def line(a): return a; more
@property
def still(self):
    return self
class C:
    """A program's class."""
    @func
    def one(x: Tensor[(4, 8), "f32"], w: ConstTensor[(N,), f32] = 3) -> Tensor[(4,), "f32"]:
        """Text."""
        y = tf.add(x, w)
        for k in tile(8, 4):
            y = y + x[:, k]
        with Mesh(("cta",), (4,), ("c",)) as m: z = y
        return y, z
    @func()
    def two(): pass
    @tilefoundry.prim_func(target=H200)
    def three(): return 1
    @one.specialize(DimVarRangePat("N", 1, 10))
    def four(): return
    @one.converter("w")
    async def _(): pass
    def forward(self, x):
        return anything goes
from tilefoundry import func as program, module as func2
@program
def five():
    def inner(a):
        b c d
    return 1
@func2
def six(a):
    b c d
def generic[T: int, *Ts](a: T, *args: *Ts): pass
