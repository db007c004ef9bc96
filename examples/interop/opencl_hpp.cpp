// SPDX-License-Identifier: Apache-2.0
//
// clnd in a C++ program that uses Khronos's opencl.hpp. A report collects bad indices, so that no
// call waits; a status in place of an exception where one is asked for.
//
//     c++ -std=c++17 opencl_hpp.cpp -o opencl_hpp $(pkg-config --cflags --libs clnd OpenCL)

#define CL_HPP_TARGET_OPENCL_VERSION  120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_ENABLE_EXCEPTIONS
#include <CL/opencl.hpp>
#include <clnd/clnd.hpp>
#include <cstdio>
#include <vector>

struct particle {
    float x, y;
    int32_t id;
};

static void run()
{
    const cl::Context context(CL_DEVICE_TYPE_ALL);
    const cl::Device device = context.getInfo<CL_CONTEXT_DEVICES>().front();
    const cl::CommandQueue queue(context, device);
    const clnd::engine engine(context(), device());
    const clnd::report report(engine);

    std::vector<particle> particles = {{0, 0, 100}, {1, 2, 101}, {3, 4, 102}};
    std::vector<int32_t> order = {2, 0, 7}; // there is no particle 7
    std::vector<particle> sorted(order.size());
    const cl::Buffer in(context, particles.begin(), particles.end(), true);
    const cl::Buffer which(context, order.begin(), order.end(), true);
    const cl::Buffer result(context, sorted.begin(), sorted.end(), false);

    // sorted[i] = particles[order[i]]: structs move whole.
    const clnd_tensor params = clnd::tensor<particle>(in(), {3});
    const clnd_tensor indices = clnd::tensor<int32_t>(which(), {3});
    const clnd_tensor out = clnd::tensor<particle>(result(), {3});
    clnd_gather_options options = {};
    options.bounds = CLND_BOUNDS_ERROR;
    options.report = report;
    clnd::check(
        clnd_gather(engine, queue(), &params, &indices, &out, &options, 0, nullptr, nullptr));
    std::printf("the report: %s\n", clnd_status_name(clnd_report_wait(report, nullptr)));

    options.bounds = CLND_BOUNDS_CLAMP; // the nearest one instead
    cl::Event event;
    clnd::check(
        clnd_gather(engine, queue(), &params, &indices, &out, &options, 0, nullptr, &event()));
    event.wait();
    cl::copy(queue, result, sorted.begin(), sorted.end());
    for (const particle &p : sorted)
        std::printf("particle %d at (%g, %g)\n", static_cast<int>(p.id), p.x, p.y);

    // The same on the vectors themselves.
    const clnd_array from = clnd::array(particles, {3});
    const clnd_array by = clnd::array(order, {3});
    const clnd_array to = clnd::array(sorted, {3});
    options.bounds = CLND_BOUNDS_ERROR;
    options.report = nullptr;
    clnd_status status = CLND_OK;
    clnd::array(order, {4}, &status);
    std::printf("four of three: %s\n", clnd_status_name(status));
    clnd::check(clnd_host_gather(engine, &from, &by, &to, &options));
}

int main()
{
    try {
        run();
    } catch (const clnd::error &error) {
        std::printf("caught %s: %s\n", clnd_status_name(error.status()), error.what());
        return error.status() == CLND_INDEX_OUT_OF_BOUNDS ? 0 : 1;
    } catch (const cl::Error &error) {
        std::fprintf(stderr, "opencl_hpp: %s: OpenCL error %d\n", error.what(), error.err());
    }
    return 1;
}
