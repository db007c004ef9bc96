// SPDX-License-Identifier: Apache-2.0
//
// clnd: N-dimensional indexing on OpenCL. This header includes all others but dlpack.h, which needs
// DLPack, and clnd.hpp, for C++.

#ifndef CLND_CLND_H
#define CLND_CLND_H

#include "clnd/array.h"
#include "clnd/copy.h"
#include "clnd/dtype.h"
#include "clnd/engine.h"
#include "clnd/export.h"
#include "clnd/gather.h"
#include "clnd/gather_elements.h"
#include "clnd/gather_nd.h"
#include "clnd/host.h"
#include "clnd/opencl.h"
#include "clnd/options.h"
#include "clnd/plan.h"
#include "clnd/prepare.h"
#include "clnd/report.h"
#include "clnd/route.h"
#include "clnd/scatter.h"
#include "clnd/scatter_elements.h"
#include "clnd/scatter_nd.h"
#include "clnd/slice.h"
#include "clnd/status.h"
#include "clnd/strided_slice.h"
#include "clnd/strided_slice_assign.h"
#include "clnd/tensor.h"
#include "clnd/version.h"

#endif
