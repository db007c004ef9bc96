// SPDX-License-Identifier: Apache-2.0

#include "host/shape/indexing.h"

#include "host/base/error.h"
#include "host/shape/axis.h"
#include "host/shape/nd.h"

static clnd_status tuples_check_ranks(const clnd__view *data, const clnd__view *indices,
                                      clnd__place *place)
{
    place->batch_dims = (int)place->wanted_batch_dims;
    return clnd__nd_check_ranks(data, indices, place->batch_dims);
}

static clnd_status tuples_dense_shape(const clnd__view *data, const clnd__view *indices,
                                      clnd__place *place, const char *name, clnd__view *dense)
{
    clnd_status status = clnd__nd_check_shapes(data, indices, place->batch_dims, &place->depth);
    return status
               ? status
               : clnd__nd_dense_shape(data, indices, place->batch_dims, place->depth, name, dense);
}

static void tuples_problem(const clnd__view *data, const clnd__view *indices,
                           const clnd__view *dense, const clnd__place *place,
                           clnd__problem *problem)
{
    clnd__nd_problem(data, indices, dense, place->batch_dims, place->depth, problem);
}

static clnd_status axis_check_ranks(const clnd__view *data, const clnd__view *indices,
                                    clnd__place *place)
{
    // 0 is the default, batch_dims. As an axis it equals that or is refused, since it is in the
    // batch.
    return clnd__gather_resolve(data, indices, place->wanted_axis ? &place->wanted_axis : NULL,
                                place->wanted_batch_dims, &place->axis, &place->batch_dims);
}

static clnd_status axis_dense_shape(const clnd__view *data, const clnd__view *indices,
                                    clnd__place *place, const char *name, clnd__view *dense)
{
    place->depth = 1;
    clnd_status status = clnd__gather_check_shapes(data, indices, place->batch_dims);
    return status ? status
                  : clnd__gather_dense_shape(data, indices, place->axis, place->batch_dims, name,
                                             dense);
}

static void axis_problem(const clnd__view *data, const clnd__view *indices, const clnd__view *dense,
                         const clnd__place *place, clnd__problem *problem)
{
    clnd__gather_problem(data, indices, dense, place->axis, place->batch_dims, problem);
}

static clnd_status elements_check_ranks(const clnd__view *data, const clnd__view *indices,
                                        clnd__place *place)
{
    clnd_status status = clnd__elements_check_ranks(data, indices);
    return status ? status : clnd__resolve_axis(data, place->wanted_axis, &place->axis);
}

static clnd_status elements_dense_shape(const clnd__view *data, const clnd__view *indices,
                                        clnd__place *place, const char *name, clnd__view *dense)
{
    place->depth = 1;
    *dense = *indices;
    dense->name = name;
    dense->dtype = data->dtype;
    return clnd__elements_check_shapes(data, indices, place->axis);
}

static void elements_problem(const clnd__view *data, const clnd__view *indices,
                             const clnd__view *dense, const clnd__place *place,
                             clnd__problem *problem)
{
    clnd__elements_problem(data, indices, dense, place->axis, problem);
}

const clnd__indexing clnd__by_tuples = {true, tuples_check_ranks, tuples_dense_shape,
                                        tuples_problem};
const clnd__indexing clnd__along_axis = {false, axis_check_ranks, axis_dense_shape, axis_problem};
const clnd__indexing clnd__by_elements = {false, elements_check_ranks, elements_dense_shape,
                                          elements_problem};
