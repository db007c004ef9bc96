# SPDX-License-Identifier: Apache-2.0
"""The calls of ONNX Runtime: models of one node, inputs and outputs bound to memory that stays."""
import numpy as np
import onnx
import onnxruntime as ort

from . import measure

OPSET, IR_VERSION = 18, 9
PROVIDERS = {"cpu": "CPUExecutionProvider", "cuda": "CUDAExecutionProvider"}
LAST = np.iinfo(np.int64).max
BEFORE_FIRST = np.iinfo(np.int64).min


class Library:
    name = "onnxruntime"
    devices = ("cpu", "cuda")

    def __init__(self, device, threads):
        if PROVIDERS[device] not in ort.get_available_providers():
            raise RuntimeError("ONNX Runtime has no %s" % PROVIDERS[device])
        ort.set_default_logger_severity(3)
        self.version = ort.__version__
        self.threads = threads
        self.device = device

    def clock(self, clock):
        return clock if self.device == "cpu" else measure.ReadingClock(clock, self.reader)

    def reader(self, size):
        scratch = np.ones(size // 4, dtype=np.float32)
        return self.call("ReduceMax", [("x", scratch, False)], np.zeros(1, np.float32), keepdims=1)

    @staticmethod
    def to_numpy(value):
        """A view, which lives no longer than the value."""
        return value[0].numpy()

    def session(self, op, arrays, output, threads, attributes):
        """arrays: name, array, and whether it is a constant of the model."""
        kind = onnx.helper.np_dtype_to_tensor_dtype
        node = onnx.helper.make_node(op, [name for name, *_ in arrays], ["out"], **attributes)
        inputs = [onnx.helper.make_tensor_value_info(name, kind(array.dtype), array.shape)
                  for name, array, constant in arrays if not constant]
        result = onnx.helper.make_tensor_value_info("out", kind(output.dtype), output.shape)
        constants = [onnx.numpy_helper.from_array(array, name)
                     for name, array, constant in arrays if constant]
        graph = onnx.helper.make_graph([node], "call", inputs, [result], constants)
        model = onnx.helper.make_model(graph, ir_version=IR_VERSION,
                                       opset_imports=[onnx.helper.make_opsetid("", OPSET)])
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        return ort.InferenceSession(model.SerializeToString(), options,
                                    providers=[PROVIDERS[self.device]])

    def call(self, op, arrays, output, in_place=False, threads=None, **attributes):
        """In place: the output is the memory of the first input."""
        session = self.session(op, arrays, output, threads or self.threads, attributes)
        binding = session.io_binding()
        values = {}
        for name, array, constant in arrays:
            if not constant:
                values[name] = ort.OrtValue.ortvalue_from_numpy(array, self.device, 0)
                binding.bind_ortvalue_input(name, values[name])
        values["out"] = values[arrays[0][0]] if in_place else \
            ort.OrtValue.ortvalue_from_numpy(output, self.device, 0)
        binding.bind_ortvalue_output("out", values["out"])
        result = values["out"], arrays, output  # a value has no memory of its own

        def run():
            session.run_with_iobinding(binding)
            if self.device != "cpu":
                binding.synchronize_outputs()
            return result
        return run

    def gather(self, name, op, p, index, **attributes):
        x = p.data()
        return [(name, lambda: self.call(op, [("x", x, False), ("i", index, False)], p.output(),
                                         **attributes))]

    def scatter(self, op, p, index, **attributes):
        u = p.updates()
        # On a CPU, several threads of ScatterND add to one row at the same time, and some updates
        # are lost (onnxruntime issue 18048): not in every call, so a check does not always tell.
        is_racy = op == "ScatterND" and "reduction" in attributes and self.device == "cpu"
        threads = 1 if is_racy else self.threads

        def make(in_place):
            t = p.target()
            return self.call(op, [("t", t, False), ("i", index, False), ("u", u, False)],
                             np.empty_like(t), in_place=in_place, threads=threads, **attributes)

        label = "%s(%s)" % (op, attributes.get("reduction", "none"))
        if threads < self.threads:
            label += ", one thread"
        ways = [(label, lambda: make(False))]
        if p.form != "add_fresh":
            ways.append((label + " in place", lambda: make(True)))
        return ways

    def rows(self, p):
        return self.gather("Gather", "Gather", p, p.indices, axis=0)

    def batched(self, p):
        return self.gather("GatherND(batch_dims=1)", "GatherND", p,
                           p.indices.astype(np.int64)[:, :, None], batch_dims=1)

    def tuples(self, p):
        return self.gather("GatherND", "GatherND", p, p.indices.astype(np.int64))

    def elements(self, p):
        return self.gather("GatherElements", "GatherElements", p, p.indices, axis=1)

    def add(self, p):
        return self.scatter("ScatterND", p, p.indices.astype(np.int64)[:, None], reduction="add")

    add_fresh = add

    def add_tuples(self, p):
        return self.scatter("ScatterND", p, p.indices.astype(np.int64), reduction="add")

    def add_elements(self, p):
        return self.scatter("ScatterElements", p, p.indices, axis=0, reduction="add")

    def update(self, p):
        return self.scatter("ScatterND", p, p.indices.astype(np.int64)[:, None])

    def slice(self, p):
        if p.is_transposed:  # the cases take the whole of it
            return [("Transpose", lambda: self.call("Transpose", [("x", p.data(), False)],
                                                    p.output()))]
        steps = [cut.step or 1 for cut in p.slices]
        starts = [cut.start if cut.start is not None else (0 if step > 0 else LAST)
                  for cut, step in zip(p.slices, steps)]
        ends = [cut.stop if cut.stop is not None else (LAST if step > 0 else BEFORE_FIRST)
                for cut, step in zip(p.slices, steps)]
        constants = [(name, np.array(values, dtype=np.int64), True) for name, values in
                     (("starts", starts), ("ends", ends), ("axes", range(len(steps))),
                      ("steps", steps))]
        x = p.data()
        return [("Slice", lambda: self.call("Slice", [("x", x, False)] + constants, p.output()))]
