// SPDX-License-Identifier: Apache-2.0
//
// loop_probe: counts the iterations of a loop. A driver that ends loops early ends this one too.
// The numbers follow one another in no way that a compiler could count without the loop.
//
// Arguments     data: one uint in, and what came of it; a second one: iterations that were made
//               update: one uint, iterations to make
// Work size     1

__kernel void loop_probe(__global uint *data, __global const uint *update)
{
    uint number = data[0];
    uint made = 0;
    for (; made < update[0]; ++made)
        number = (number ^ number >> 15) * 0x2c1b3c6du + made;
    data[0] = number;
    data[1] = made;
}
