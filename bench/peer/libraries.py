# SPDX-License-Identifier: Apache-2.0
"""Which libraries there are, and what to import for each."""
MODULES = {"numpy": "numpy", "torch": "torch", "tensorflow": "tensorflow", "jax": "jax",
           "onnxruntime": "onnxruntime", "cupy": "cupy"}
NAMES = list(MODULES)
SHORT = {"onnxruntime": "ort", "tensorflow": "tf"}
TITLES = {"numpy": "NumPy", "torch": "PyTorch", "tensorflow": "TensorFlow", "jax": "JAX",
          "onnxruntime": "ONNX Runtime", "cupy": "CuPy", "c": "C loop", "clnd": "clnd"}
CLND, C_LOOP = "clnd", "c"
