// A card played by the processor: the kernels as C, one thread after another, in a few blocks of a few threads.
#include <math.h>
#include <string.h>

typedef struct {
    unsigned x;
} Index;
typedef struct {
    float x, y, z, w;
} float4;

static Index blockIdx, threadIdx, blockDim, gridDim;

#define __global__
#define __device__
#include "kernels.cu"

#define RUN(name)                                                                                \
    if (strcmp(kernel, #name) == 0) {                                                            \
        for (blockIdx.x = 0; blockIdx.x < gridDim.x; blockIdx.x++)                               \
            for (threadIdx.x = 0; threadIdx.x < blockDim.x; threadIdx.x++) name(*words);         \
        return 0;                                                                                \
    }

// 0: done; 1: there is no such kernel.
int run_kernel(const char *kernel, unsigned blocks, unsigned threads, const Words *words) {
    gridDim.x = blocks;
    blockDim.x = threads;
#include "runs.h" // RUN of every kernel in the list of the crate
    return 1;
}
