// What runs on the card besides products of matrices. Images are rows of channels: [batch][points][channels].
//
// Every kernel takes the same words: addresses, sizes, numbers. There is no shared memory and no order between threads, so
// that each one is a loop over independent items; sums are taken in parts by one thread each, and the parts in their order,
// so that a run gives the same numbers every time. Plain C but for the qualifiers: a processor can play the card.

typedef struct {
    void *p[6];
    int n[8];
    float f[8];
} Words;

// Items fit 31 bits: the caller sees to it, and divisions of 64 bits are slow on a card.
#define EACH(i, count) \
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x, all_##i = (count); i < all_##i; i += gridDim.x * blockDim.x)

// Reads of several turns of a loop are under way at once.
#ifdef __CUDACC__
#define UNROLL _Pragma("unroll 8")
#else
#define UNROLL
#endif

#ifdef __cplusplus
#define KERNEL extern "C" __global__ void
#else
#define KERNEL __global__ void
#endif

enum { RELU = 0, SWISH = 1 };

__device__ static float activate(int activation, float z) {
    return activation == RELU ? fmaxf(z, 0.0f) : z / (1.0f + expf(-z));
}

__device__ static float slope(int activation, float z) {
    if (activation == RELU) return z > 0.0f ? 1.0f : 0.0f;
    float chance = 1.0f / (1.0f + expf(-z));
    return chance * (1.0f + z * (1.0f - chance));
}

// [batch][channels][points] to rows, and back. n: batch, channels, points.
KERNEL to_rows(Words w) {
    const float *from = (const float *)w.p[0];
    float *to = (float *)w.p[1];
    unsigned channels = w.n[1], points = w.n[2];
    EACH(i, w.n[0] * channels * points) {
        unsigned channel = i % channels;
        unsigned row = i / channels;
        to[i] = from[(row / points * channels + channel) * points + row % points];
    }
}

KERNEL from_rows(Words w) {
    const float *from = (const float *)w.p[0];
    float *to = (float *)w.p[1];
    unsigned channels = w.n[1], points = w.n[2];
    EACH(i, w.n[0] * channels * points) {
        unsigned point = i % points;
        unsigned plane = i / points;
        to[i] = from[(plane / channels * points + point) * channels + plane % channels];
    }
}

// Weights [outputs][inputs][taps] to [outputs][taps][inputs], as rows of `patches` meet them. n: outputs, inputs, taps.
KERNEL pack(Words w) {
    const float *from = (const float *)w.p[0];
    float *to = (float *)w.p[1];
    unsigned outputs = w.n[0], inputs = w.n[1], taps = w.n[2];
    EACH(i, outputs * inputs * taps) {
        unsigned input = i % inputs;
        unsigned tap = i / inputs % taps;
        unsigned output = i / inputs / taps;
        to[i] = from[(output * inputs + input) * taps + tap];
    }
}

// The same turned for the way back: [inputs][taps][outputs], the taps in reverse.
KERNEL pack_turned(Words w) {
    const float *from = (const float *)w.p[0];
    float *to = (float *)w.p[1];
    unsigned outputs = w.n[0], inputs = w.n[1], taps = w.n[2];
    EACH(i, outputs * inputs * taps) {
        unsigned output = i % outputs;
        unsigned tap = i / outputs % taps;
        unsigned input = i / outputs / taps;
        to[i] = from[(output * inputs + input) * taps + (taps - 1 - tap)];
    }
}

// Adds [outputs][taps][inputs] to [outputs][inputs][taps].
KERNEL unpack_add(Words w) {
    const float *from = (const float *)w.p[0];
    float *to = (float *)w.p[1];
    unsigned outputs = w.n[0], inputs = w.n[1], taps = w.n[2];
    EACH(i, outputs * inputs * taps) {
        unsigned input = i % inputs;
        unsigned tap = i / inputs % taps;
        unsigned output = i / inputs / taps;
        to[(output * inputs + input) * taps + tap] += from[i];
    }
}

// For every point the rows of its neighbourhood of `side` x `side`, zeros outside the board: [rows][taps][channels].
// n: first element, elements, channels (in fours for the second), height, width, side.
#define PATCHES(name, type)                                                               \
    KERNEL name(Words w) {                                                                \
        const type *from = (const type *)w.p[0];                                          \
        type *to = (type *)w.p[1];                                                        \
        unsigned channels = w.n[2], side = w.n[5], taps = side * side;                    \
        int height = w.n[3], width = w.n[4], half = w.n[5] / 2;                           \
        unsigned points = height * width;                                                 \
        EACH(i, w.n[1] * points * taps * channels) {                                      \
            unsigned channel = i % channels, tap = i / channels % taps, row = i / channels / taps; \
            unsigned point = row % points;                                                \
            int line = (int)(point / width + tap / side) - half;                          \
            int column = (int)(point % width + tap % side) - half;                        \
            type value = NOTHING_##type;                                                  \
            if (line >= 0 && line < height && column >= 0 && column < width) {            \
                unsigned at = (w.n[0] + row / points) * points + line * width + column;   \
                value = from[at * channels + channel];                                    \
            }                                                                             \
            to[i] = value;                                                                \
        }                                                                                 \
    }

#define NOTHING_float 0.0f
#define NOTHING_float4 {0.0f, 0.0f, 0.0f, 0.0f}
PATCHES(patches, float)
PATCHES(patches4, float4)

// Sums and sums of squares of each channel, in parts: [parts][channels][2]. n: rows, channels, rows of a part, parts.
KERNEL figures(Words w) {
    const float *x = (const float *)w.p[0];
    double *sums = (double *)w.p[1];
    unsigned rows = w.n[0], channels = w.n[1], part_rows = w.n[2];
    EACH(i, w.n[3] * channels) {
        unsigned channel = i % channels;
        unsigned first = i / channels * part_rows;
        unsigned end = first + part_rows < rows ? first + part_rows : rows;
        double sum = 0.0, square = 0.0;
        for (unsigned row = first; row < end; row++) {
            double value = x[row * channels + channel];
            sum += value;
            square += value * value;
        }
        sums[2 * i] = sum;
        sums[2 * i + 1] = square;
    }
}

// Mean and variance from the parts. n as before.
KERNEL figures_total(Words w) {
    const double *sums = (const double *)w.p[0];
    float *mean = (float *)w.p[1], *variance = (float *)w.p[2];
    unsigned rows = w.n[0], channels = w.n[1], parts = w.n[3];
    EACH(channel, channels) {
        double sum = 0.0, square = 0.0;
        for (unsigned part = 0; part < parts; part++) {
            sum += sums[2 * (part * channels + channel)];
            square += sums[2 * (part * channels + channel) + 1];
        }
        sum /= rows;
        square = square / rows - sum * sum;
        mean[channel] = (float)sum;
        variance[channel] = (float)(square > 0.0 ? square : 0.0);
    }
}

// What a batch norm multiplies by and adds: scale and shift, [2][channels].
// p: gamma and beta (one after the other), mean, variance, out. n: channels. f: epsilon.
KERNEL affine(Words w) {
    const float *gamma = (const float *)w.p[0];
    const float *mean = (const float *)w.p[1], *variance = (const float *)w.p[2];
    float *out = (float *)w.p[3];
    unsigned channels = w.n[0];
    EACH(channel, channels) {
        float scale = gamma[channel] / sqrtf(variance[channel] + w.f[0]);
        out[channel] = scale;
        out[channels + channel] = gamma[channels + channel] - mean[channel] * scale;
    }
}

// y = activation(x * scale + shift + residual). p: x, scale and shift, y, residual or nothing. n: rows, channels, activation.
KERNEL normalise(Words w) {
    const float *x = (const float *)w.p[0], *scale = (const float *)w.p[1], *residual = (const float *)w.p[3];
    float *y = (float *)w.p[2];
    unsigned channels = w.n[1];
    EACH(i, w.n[0] * channels) {
        unsigned channel = i % channels;
        float z = x[i] * scale[channel] + scale[channels + channel];
        if (residual) z += residual[i];
        y[i] = activate(w.n[2], z);
    }
}

// The gradient before the activation, in place, and the sums of it and of it times the centred input, in parts.
// p: x, scale and shift, dy, residual or nothing, mean, sums. n: rows, channels, rows of a part, parts, activation.
KERNEL norm_slopes(Words w) {
    const float *x = (const float *)w.p[0], *scale = (const float *)w.p[1], *residual = (const float *)w.p[3];
    const float *mean = (const float *)w.p[4];
    float *dy = (float *)w.p[2];
    double *sums = (double *)w.p[5];
    unsigned rows = w.n[0], channels = w.n[1], part_rows = w.n[2];
    EACH(i, w.n[3] * channels) {
        unsigned channel = i % channels;
        unsigned first = i / channels * part_rows;
        unsigned end = first + part_rows < rows ? first + part_rows : rows;
        double sum = 0.0, product = 0.0;
        for (unsigned row = first; row < end; row++) {
            unsigned at = row * channels + channel;
            float z = x[at] * scale[channel] + scale[channels + channel];
            if (residual) z += residual[at];
            float dz = dy[at] * slope(w.n[4], z);
            dy[at] = dz;
            sum += dz;
            product += (double)dz * (x[at] - mean[channel]);
        }
        sums[2 * i] = sum;
        sums[2 * i + 1] = product;
    }
}

// Gradients of gamma and beta, and what `norm_back` multiplies by and adds: [3][channels].
// p: sums, scale, mean, variance, gradients of gamma and beta, out. n: rows, channels, -, parts. f: epsilon.
KERNEL norm_total(Words w) {
    const double *sums = (const double *)w.p[0];
    const float *scale = (const float *)w.p[1], *mean = (const float *)w.p[2], *variance = (const float *)w.p[3];
    float *gamma = (float *)w.p[4], *out = (float *)w.p[5];
    unsigned rows = w.n[0], channels = w.n[1], parts = w.n[3];
    EACH(channel, channels) {
        double sum = 0.0, product = 0.0;
        for (unsigned part = 0; part < parts; part++) {
            sum += sums[2 * (part * channels + channel)];
            product += sums[2 * (part * channels + channel) + 1];
        }
        double inverse = 1.0 / sqrt((double)variance[channel] + w.f[0]);
        float linear = (float)(-scale[channel] * product * inverse * inverse / rows);
        out[channel] = scale[channel];
        out[channels + channel] = linear;
        out[2 * channels + channel] = (float)(-scale[channel] * sum / rows) - linear * mean[channel];
        gamma[channel] += (float)(product * inverse);
        gamma[channels + channel] += (float)sum;
    }
}

// dx = scale * dz + linear * x + constant. p: x, dz, the three, dx. n: rows, channels.
KERNEL norm_back(Words w) {
    const float *x = (const float *)w.p[0], *dz = (const float *)w.p[1], *by = (const float *)w.p[2];
    float *dx = (float *)w.p[3];
    unsigned channels = w.n[1];
    EACH(i, w.n[0] * channels) {
        unsigned channel = i % channels;
        dx[i] = by[channel] * dz[i] + by[channels + channel] * x[i] + by[2 * channels + channel];
    }
}

// Means, then maxima of each channel: [batch][2 * channels]. n: batch, channels, points.
KERNEL pool(Words w) {
    const float *x = (const float *)w.p[0];
    float *y = (float *)w.p[1];
    unsigned channels = w.n[1], points = w.n[2];
    EACH(i, w.n[0] * channels) {
        unsigned channel = i % channels;
        unsigned element = i / channels;
        const float *row = x + element * points * channels + channel;
        float sum = 0.0f, most = row[0];
        for (unsigned point = 0; point < points; point++) {
            sum += row[point * channels];
            most = fmaxf(most, row[point * channels]);
        }
        y[element * 2 * channels + channel] = sum / points;
        y[element * 2 * channels + channels + channel] = most;
    }
}

// Its way back; a maximum goes to its first place. p: x, dy, dx. n: batch, channels, points, whether it adds.
KERNEL pool_back(Words w) {
    const float *x = (const float *)w.p[0], *dy = (const float *)w.p[1];
    float *dx = (float *)w.p[2];
    unsigned channels = w.n[1], points = w.n[2];
    EACH(i, w.n[0] * channels) {
        unsigned channel = i % channels;
        unsigned element = i / channels, start = element * points * channels + channel;
        float mean = dy[element * 2 * channels + channel] / points;
        unsigned most = 0;
        for (unsigned point = 0; point < points; point++) {
            unsigned at = start + point * channels;
            if (x[at] > x[start + most * channels]) most = point;
            dx[at] = (w.n[3] ? dx[at] : 0.0f) + mean;
        }
        dx[start + most * channels] += dy[element * 2 * channels + channels + channel];
    }
}

// All points of all planes as one vector is `from_rows`; this adds the way back to what is there. n: batch, channels, points.
KERNEL flat_back_add(Words w) {
    const float *from = (const float *)w.p[0];
    float *to = (float *)w.p[1];
    unsigned channels = w.n[1], points = w.n[2];
    EACH(i, w.n[0] * channels * points) {
        unsigned channel = i % channels;
        unsigned row = i / channels;
        to[i] += from[(row / points * channels + channel) * points + row % points];
    }
}

// y = activation(x + bias). p: x, bias, y. n: rows, channels, activation.
KERNEL bias(Words w) {
    const float *x = (const float *)w.p[0], *by = (const float *)w.p[1];
    float *y = (float *)w.p[2];
    unsigned channels = w.n[1];
    EACH(i, w.n[0] * channels) { y[i] = activate(w.n[2], x[i] + by[i % channels]); }
}

// Its way back in place, and the gradient of the bias. p: x, bias, dy, gradient. n: rows, channels, activation.
KERNEL bias_back(Words w) {
    const float *x = (const float *)w.p[0], *by = (const float *)w.p[1];
    float *dy = (float *)w.p[2], *gradient = (float *)w.p[3];
    unsigned rows = w.n[0], channels = w.n[1];
    EACH(channel, channels) {
        double sum = 0.0;
        for (unsigned row = 0; row < rows; row++) {
            unsigned at = row * channels + channel;
            dy[at] *= slope(w.n[2], x[at] + by[channel]);
            sum += dy[at];
        }
        gradient[channel] += (float)sum;
    }
}
