"""Two small programs of ours, as their allocations: one trains a language model, one answers chats with it."""

from allocator import KIB, MIB, OutOfMemory

TORCH = "/home/dev/minigpt/.venv/lib/python3.12/site-packages/torch/"
MODULE = TORCH + "nn/modules/module.py"
TRAIN, MODEL = "/home/dev/minigpt/train.py", "/home/dev/minigpt/model.py"
OPTIMIZER = "/home/dev/minigpt/optimizer.py"
CHAT, CACHE = "/srv/chat/server.py", "/srv/chat/cache.py"

TAKEN = (
    ("torch::unwind::unwind()", "??", 0),
    ("torch::CapturedTraceback::gather(bool, bool, bool)", "??", 0),
)
ALLOCATE = TAKEN + (
    ("c10::cuda::CUDACachingAllocator::Native::DeviceCachingAllocator::malloc(signed char, unsigned long, "
     "CUstream_st*)", "CUDACachingAllocator.cpp", 0),
    ("at::detail::empty_cuda(c10::ArrayRef<long>, c10::ScalarType, std::optional<c10::Device>)", "??", 0),
)
RELEASE = TAKEN + (
    ("c10::cuda::CUDACachingAllocator::Native::local_raw_delete(void*)", "CUDACachingAllocator.cpp", 0),
    ("c10::StorageImpl::~StorageImpl()", "", 0),
    ("c10::TensorImpl::~TensorImpl()", "??", 0),
)
ENGINE = (
    ("torch::autograd::Engine::evaluate_function(std::shared_ptr<torch::autograd::GraphTask>&)", "??", 0),
    ("torch::autograd::Engine::thread_main(std::shared_ptr<torch::autograd::GraphTask> const&)", "??", 0),
    ("torch::autograd::python::PythonEngine::thread_init(int)", "??", 0),
)
CALL = (("_call_impl", MODULE, 1750), ("_wrapped_call_impl", MODULE, 1739))


def native(operator):
    return ((f"at::_ops::{operator}::call(at::Tensor const&)", "??", 0),)


class Program:
    def __init__(self, allocator, frames):
        self.allocator, self.frames, self.recorder = allocator, frames, allocator.recorder

    def take(self, size, operator, *python):
        return self.allocator.malloc(size, self.frames.stack(*ALLOCATE, *native(operator), *python))

    def drop(self, *blocks, at):
        for block in blocks:
            self.allocator.free(block, self.frames.stack(*RELEASE, *at))


class Training(Program):
    """A transformer in single precision with an AdamW of its own that makes a temporary for each step."""

    LAYERS, WIDTH, HEADS, WORDS = 36, 1280, 20, 50304

    def __init__(self, allocator, frames, batch=2):
        super().__init__(allocator, frames)
        self.batch = batch
        width = self.WIDTH
        shapes = [self.WORDS * width, 1024 * width]
        for _ in range(self.LAYERS):
            shapes += [width, width, 3 * width * width, 3 * width, width * width, width]
            shapes += [width, width, 4 * width * width, 4 * width, 4 * width * width, width]
        self.shapes = [4 * shape for shape in shapes + [width, width]]
        made = (("__init__", MODEL, 71), ("main", TRAIN, 58), ("<module>", TRAIN, 82))
        self.parameters = [self.take(size, "uniform_", *made) for size in self.shapes]
        self.gradients, self.moments = [None] * len(self.shapes), []

    def step(self, number, length):
        outer = (("main", TRAIN, 66), ("<module>", TRAIN, 82))
        self.recorder.annotate("START", f"ProfilerStep#{number}")
        self.zero_grad(outer)
        logits, saved = self.forward(length, (("train_step", TRAIN, 31), *outer))
        self.backward(length, logits, saved)
        self.optimize((("train_step", TRAIN, 34), *outer))
        self.recorder.annotate("END", f"ProfilerStep#{number}")

    def zero_grad(self, outer):
        self.recorder.annotate("START", "Optimizer.zero_grad#AdamW.zero_grad")
        at = (("zero_grad", TORCH + "optim/optimizer.py", 976), ("train_step", TRAIN, 29), *outer)
        for gradient in self.gradients:
            if gradient is not None:
                self.drop(gradient, at=at)
        self.gradients = [None] * len(self.shapes)
        self.recorder.annotate("END", "Optimizer.zero_grad#AdamW.zero_grad")

    # ---------------------------------------------------------------- forward

    def forward(self, length, outer):
        self.recorder.compute(1500)
        state = self.batch * length * self.WIDTH * 4
        tokens = self.take(self.batch * length * 8, "_to_copy", ("batch", TRAIN, 21), *outer)
        saved = [[tokens, self.take(state, "embedding", ("forward", MODEL, 84), *CALL, *outer)]]
        for _ in range(self.LAYERS):
            saved.append(self.layer_forward(length, state, (("forward", MODEL, 86), *CALL, *outer)))
            self.recorder.compute(900)
        logits = self.take(self.batch * length * self.WORDS * 4, "linear", *self.linear(88), *outer)
        loss = self.take(4, "cross_entropy_loss", ("cross_entropy", TORCH + "nn/functional.py", 3494),
                         ("forward", MODEL, 90), *CALL, *outer)
        return [logits, loss], saved

    def layer_forward(self, length, state, outer):
        scores = self.batch * self.HEADS * length * length * 4
        norm = (("layer_norm", TORCH + "nn/functional.py", 2910), ("forward", MODEL, 61), *CALL, *outer)
        attention = (("forward", MODEL, 62), *CALL, *outer)
        mlp = (("forward", MODEL, 63), *CALL, *outer)
        kept = [self.take(state, "layer_norm", *norm)]
        kept += [self.take(self.batch * length * 4, "native_layer_norm", *norm) for _ in range(2)]
        kept.append(self.take(3 * state, "linear", *self.linear(31), *attention))
        raw = self.take(scores, "matmul", ("forward", MODEL, 38), *CALL, *attention)
        masked = self.take(scores, "masked_fill", ("forward", MODEL, 39), *CALL, *attention)
        self.drop(raw, at=(("forward", MODEL, 39), *CALL, *attention))
        kept.append(self.take(scores, "softmax", ("forward", MODEL, 40), *CALL, *attention))
        self.drop(masked, at=(("forward", MODEL, 40), *CALL, *attention))
        kept.append(self.take(state, "matmul", ("forward", MODEL, 41), *CALL, *attention))
        out = self.take(state, "linear", *self.linear(43), *attention)
        kept.append(self.take(state, "add", ("forward", MODEL, 62), *CALL, *outer))
        self.drop(out, at=(("forward", MODEL, 62), *CALL, *outer))
        kept.append(self.take(state, "layer_norm", *norm))
        kept.append(self.take(4 * state, "linear", *self.linear(52), *mlp))
        kept.append(self.take(4 * state, "gelu", ("forward", MODEL, 53), *CALL, *mlp))
        out = self.take(state, "linear", *self.linear(54), *mlp)
        kept.append(self.take(state, "add", ("forward", MODEL, 63), *CALL, *outer))
        self.drop(out, at=(("forward", MODEL, 63), *CALL, *outer))
        return kept

    def linear(self, line):
        return (("forward", TORCH + "nn/modules/linear.py", 125), *CALL, ("forward", MODEL, line), *CALL)

    # ---------------------------------------------------------------- backward

    def backward(self, length, logits, saved):
        """Runs on a thread of the engine, where no Python frame is on the stack."""
        state = self.batch * length * self.WIDTH * 4
        flow = self.take(self.batch * length * self.WORDS * 4, "log_softmax_backward_data", *ENGINE)
        self.drop(*logits, at=ENGINE)
        self.keep_gradient(0)
        gradient = self.take(state, "mm", *ENGINE)
        self.drop(flow, at=ENGINE)
        for layer in reversed(range(self.LAYERS)):
            gradient = self.layer_backward(layer, gradient, saved[layer + 1], state)
            self.recorder.compute(1800)
        self.keep_gradient(1)
        self.drop(gradient, *saved[0], at=ENGINE)

    def layer_backward(self, layer, gradient, kept, state):
        at = ENGINE
        first = 2 + 12 * layer
        norm, _, _, qkv, scores, mixed, _, norm2, hidden, active, _ = kept
        wide = self.take(4 * state, "mm", *at)
        self.keep_gradient(first + 10)
        self.keep_gradient(first + 11)
        self.drop(active, at=at)
        narrow = self.take(4 * state, "gelu_backward", *at)
        self.drop(wide, hidden, at=at)
        back = self.take(state, "mm", *at)
        for parameter in (8, 9, 6, 7):
            self.keep_gradient(first + parameter)
        self.drop(narrow, norm2, at=at)
        total = self.take(state, "add", *at)
        self.drop(back, gradient, at=at)
        heads = self.take(state, "mm", *at)
        self.keep_gradient(first + 4)
        self.keep_gradient(first + 5)
        weights = self.take(scores.requested, "bmm", *at)
        raw = self.take(scores.requested, "_softmax_backward_data", *at)
        self.drop(weights, scores, mixed, at=at)
        parts = self.take(3 * state, "cat", *at)
        self.drop(raw, heads, qkv, at=at)
        back = self.take(state, "mm", *at)
        for parameter in (2, 3, 0, 1):
            self.keep_gradient(first + parameter)
        self.drop(parts, norm, *kept[1:3], kept[6], kept[10], at=at)
        result = self.take(state, "add", *at)
        self.drop(back, total, at=at)
        return result

    def keep_gradient(self, parameter):
        self.gradients[parameter] = self.take(self.shapes[parameter], "mm", *ENGINE)

    # ---------------------------------------------------------------- optimizer

    def optimize(self, outer):
        self.recorder.annotate("START", "Optimizer.step#AdamW.step")
        step = (("wrapper", TORCH + "optim/optimizer.py", 493), *outer)
        if not self.moments:
            at = (("state_of", OPTIMIZER, 21), ("step", OPTIMIZER, 34), *step)
            self.moments = [[None, None] for _ in self.shapes]
        for position, size in enumerate(self.shapes):
            if self.moments[position][0] is None:
                self.moments[position] = [self.take(size, "zeros_like", *at) for _ in range(2)]
            self.update(size, step)
            self.recorder.compute(20 + size // MIB)
        self.recorder.annotate("END", "Optimizer.step#AdamW.step")

    def update(self, size, step):
        """m and v decay in place; the root, the step and their quotient are temporaries."""
        temporaries = []
        for line, operator in ((40, "mul"), (41, "mul"), (43, "sqrt"), (44, "add"), (45, "div")):
            temporaries.append(self.take(size, operator, ("step", OPTIMIZER, line), *step))
        self.drop(*temporaries, at=(("step", OPTIMIZER, 47), *step))


class Chat(Program):
    """Answers conversations; each keeps its keys and values until it ends, in pieces that fit its length."""

    LAYERS, WIDTH = 32, 4096
    CONVERSATIONS = 9

    def __init__(self, allocator, frames):
        super().__init__(allocator, frames)
        loaded = (("load", CHAT, 18), ("<module>", CHAT, 92))
        self.weights = [self.take(24 * MIB, "_to_copy", *loaded) for _ in range(self.LAYERS * 8)]
        self.open = []

    def serve_until_full(self, random):
        """Conversations come and go until one asks for a workspace that no hole can hold."""
        number = 0
        try:
            while True:
                self.recorder.annotate("START", f"conversation {number}")
                if len(self.open) >= self.CONVERSATIONS:
                    self.close(self.open.pop(random.randrange(len(self.open))))
                self.open.append(self.answer(random.randrange(300, 5200), random))
                self.recorder.annotate("END", f"conversation {number}")
                number += 1
        except OutOfMemory:
            return

    def answer(self, length, random):
        outer = (("answer", CHAT, 61), ("loop", CHAT, 79), ("<module>", CHAT, 92))
        cache = []
        for _ in range(self.LAYERS):
            self.recorder.compute(400)
            self.attend(length, outer)
            at = (("append", CACHE, 27), ("answer", CHAT, 54), *outer[1:])
            cache += [self.take(length * self.WIDTH * 2, "cat", *at) for _ in range(2)]
            if random.random() < 0.3:
                cache.append(self.take(random.randrange(64, 900) * KIB, "clone", ("remember", CACHE, 41), *at))
        logits = self.take(length * 32000 * 4, "linear", ("logits", CHAT, 57), *outer)
        self.drop(logits, at=(("answer", CHAT, 59), *outer[1:]))
        return cache

    def attend(self, length, outer):
        at = (("attention", CHAT, 33), ("answer", CHAT, 52), *outer[1:])
        state = self.take(length * self.WIDTH * 2, "linear", *at)
        mixed = self.take(length * self.WIDTH * 6, "scaled_dot_product_attention", *at)
        self.drop(state, mixed, at=(("attention", CHAT, 36), ("answer", CHAT, 52), *outer[1:]))

    def close(self, cache):
        at = (("close", CACHE, 48), ("loop", CHAT, 75), ("<module>", CHAT, 92))
        self.drop(*cache, at=at)
