"""What ONNX Runtime answers, for tests that run without it.

    python3 -m venv v && v/bin/pip install onnxruntime onnx numpy      (1.31.1, 1.23.2 were used)
    GOLDEN=/tmp/nets cargo test -p tesuji-nn golden                    (writes our nets as ONNX)
    v/bin/python crates/nn/tests/data/golden.py /tmp/nets              (writes the files beside this script)

First it makes two nets of dlshogi's shape with random numbers, in the form in which PyTorch exports them: one with batch
norm apart after the stem and folded elsewhere, one with Swish, half precision, constants as nodes and reshapes. Then it
runs them and our exports on two boards of planes whose number i is 1 if i * 7919 mod 13 is 0, else 0.
"""
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

HERE = pathlib.Path(__file__).parent


def dlshogi(path, swish, kind, seed):
    """A net with 1 block of 5 channels and 6 hidden units."""
    rng, nodes, constants = np.random.default_rng(seed), [], []
    channels, hidden, labels = 5, 6, 27

    def constant(name, array):
        tensor = numpy_helper.from_array(array.astype(kind), name)
        if swish:
            nodes.append(helper.make_node("Constant", [], [name], value=tensor))
        else:
            constants.append(tensor)
        return name

    def add(op, inputs, name, **attributes):
        nodes.append(helper.make_node(op, inputs, [name], name="/" + name, **attributes))
        return name

    def conv(x, inputs, outputs, side, name, bias):
        scale = (2 / (inputs * side * side)) ** 0.5
        all_inputs = [x, constant(name + ".weight", rng.normal(0, scale, (outputs, inputs, side, side)))]
        if bias:
            all_inputs.append(constant(name + ".bias", rng.normal(0, 0.2, outputs)))
        return add("Conv", all_inputs, name + "/Conv", dilations=[1, 1], group=1, kernel_shape=[side, side],
                   pads=[side // 2] * 4, strides=[1, 1])

    def act(x):
        return add("Mul", [x, add("Sigmoid", [x], x + "/Sigmoid")], x + "/Mul") if swish else add("Relu", [x], x + "/Relu")

    def flat(x, name):
        if swish:
            nodes.append(helper.make_node("Constant", [], [name + ".shape"], value=numpy_helper.from_array(np.array([-1, 27 * 81]))))
            return add("Reshape", [x, name + ".shape"], name)
        return add("Flatten", [x], name, axis=1)

    one, two = "input1", "input2"
    if kind == np.float16:
        one, two = (add("Cast", [x], x + "/Cast", to=TensorProto.FLOAT16) for x in (one, two))
    u = add("Add", [conv(one, 62, channels, 3, "l1_1_1", False), conv(one, 62, channels, 1, "l1_1_2", False)], "Add")
    u = add("Add", [u, conv(two, 57, channels, 1, "l1_2", False)], "Add_1")
    norm = [constant("norm1.weight", rng.uniform(0.5, 1.5, channels)), constant("norm1.bias", rng.normal(0, 0.2, channels)),
            constant("norm1.running_mean", rng.normal(0, 0.2, channels)), constant("norm1.running_var", rng.uniform(0.5, 1.5, channels))]
    u = act(add("BatchNormalization", [u] + norm, "norm1/BatchNormalization", epsilon=1e-05, momentum=0.9))
    h = act(conv(u, channels, channels, 3, "blocks.0.conv1", True))
    h = act(add("Add", [conv(h, channels, channels, 3, "blocks.0.conv2", True), u], "blocks.0/Add"))
    p = flat(conv(h, channels, labels, 1, "policy", False), "policy/Flatten")
    p = add("Add", [p, constant("policy_bias.bias", rng.normal(0, 0.3, labels * 81))], "policy_sum")
    v = flat(act(conv(h, channels, labels, 1, "value_conv1", True)), "value/Flatten")
    v = add("Gemm", [v, constant("value_fc1.weight", rng.normal(0, 0.04, (hidden, labels * 81))),
                     constant("value_fc1.bias", rng.normal(0, 0.2, hidden))], "value_fc1/Gemm", alpha=1.0, beta=1.0, transB=1)
    v = add("Gemm", [act(v), constant("value_fc2.weight", rng.normal(0, 0.5, (1, hidden))),
                     constant("value_fc2.bias", rng.normal(0, 0.2, 1))], "value_fc2/Gemm", alpha=1.0, beta=1.0, transB=1)
    v = add("Sigmoid", [v], "value_sigmoid")
    for name, x in (("output_policy", p), ("output_value", v)):
        nodes.append(helper.make_node("Cast", [x], [name], to=TensorProto.FLOAT))
    planes = [helper.make_tensor_value_info(f"input{i}", TensorProto.FLOAT, ["batch_size", n, 9, 9]) for i, n in ((1, 62), (2, 57))]
    out = [helper.make_tensor_value_info(n, TensorProto.FLOAT, ["batch_size", k]) for n, k in (("output_policy", 2187), ("output_value", 1))]
    graph = helper.make_graph(nodes, "main_graph", planes, out, constants)
    model = helper.make_model(graph, producer_name="golden.py", ir_version=8, opset_imports=[helper.make_opsetid("", 17)])
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, path)


def run(path):
    """Writes what ONNX Runtime answers: a line for each output, all numbers of both boards."""
    onnx.checker.check_model(onnx.load(path), full_check=True)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    inputs, batch = session.get_inputs(), 2
    height, width = (side if isinstance(side, int) else 9 for side in inputs[0].shape[2:])
    total = sum(i.shape[1] for i in inputs)
    planes = (np.arange(batch * total * height * width) * 7919 % 13 == 0).astype(np.float32)
    planes = planes.reshape(batch, total, height, width)
    feed, first = {}, 0
    for i in inputs:
        feed[i.name] = planes[:, first:first + i.shape[1]]
        first += i.shape[1]
    names = [o.name for o in session.get_outputs()]
    lines = [f"{n} " + " ".join(f"{x:.6g}" for x in a.ravel()) for n, a in zip(names, session.run(None, feed))]
    (HERE / (path.stem + ".txt")).write_text("\n".join(lines) + "\n")


dlshogi(HERE / "dlshogi-relu.onnx", False, np.float32, 1)
dlshogi(HERE / "dlshogi-swish-half.onnx", True, np.float16, 2)
for model in sorted([*HERE.glob("*.onnx"), *pathlib.Path(sys.argv[1]).glob("*.onnx")]):
    run(model)
