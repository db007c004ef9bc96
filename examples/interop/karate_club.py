# SPDX-License-Identifier: Apache-2.0
"""One round of messages on a graph: each node adds up what its neighbours have.

The graph is Zachary's karate club, which networkx ships: 34 members, of whom each later joined one
of two clubs, and 78 friendships.
"""

import networkx
import numpy as np
import pyopencl
from pyopencl.array import to_device, zeros

import clnd_pyopencl as clnd

graph = networkx.karate_club_graph()
clubs = np.array([club == "Officer" for _, club in graph.nodes(data="club")])
edges = np.array(graph.edges)
source = np.concatenate([edges[:, 0], edges[:, 1]])  # friendships go both ways
target = np.concatenate([edges[:, 1], edges[:, 0]])

queue = pyopencl.CommandQueue(pyopencl.create_some_context(interactive=False))
engine = clnd.engine(queue)
features = to_device(queue, np.stack([~clubs, clubs], 1).astype(np.float32))  # [member, club]
sums = zeros(queue, features.shape, np.float32)
messages = clnd.gather(engine, features, to_device(queue, source))
clnd.scatter_add(engine, to_device(queue, target), messages, sums)

friends = sums.get()
print(f"{len(graph)} members, {len(messages)} messages")
print("member 0 has friends in both clubs:", friends[0])
same = friends[np.arange(len(clubs)), clubs.astype(int)]
print("members with more friends in the other club:", np.flatnonzero(friends.sum(1) > 2 * same))
matrix = networkx.to_numpy_array(graph, weight=None)
print("as the adjacency matrix says:", np.array_equal(friends, matrix @ features.get()))
