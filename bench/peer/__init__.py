# SPDX-License-Identifier: Apache-2.0
"""What bench/peers.py consists of. docs/benchmarking-peers.md is its manual."""
