// Steps of efficiently updatable networks, by the same rules as kernels.cu, which stands before this: sums over lists of active
// inputs, activations, the loss, gradients of rows by their readers in a fixed order, AdamW. What is a list of the batch is
// described at `SparseBatch` of the crate `train`; each position has two lists, that of the side to move first.

enum { CRELU = 0, SCRELU = 1, PAIRWISE = 2 };
#define PART 0x80000000u // Marks the target of a chunk that is a part.

// An item of a list of words, or of halves of words.
__device__ static unsigned item(const void *list, unsigned at, int is_narrow) {
    return is_narrow ? ((const unsigned short *)list)[at] : ((const unsigned *)list)[at];
}

// What is no number becomes 0.
__device__ static float clip(float x) {
    float low = x > 0.0f ? x : 0.0f;
    return low < 1.0f ? low : 1.0f;
}

__device__ static void add4(float4 *sum, float4 x) {
    sum->x += x.x;
    sum->y += x.y;
    sum->z += x.z;
    sum->w += x.w;
}

__device__ static float logistic(float x) { return 1.0f / (1.0f + expf(-x)); }

// Clipped accumulators. p: starts, rows, numbers of the first layer, out. n: lists, columns in fours, row of the bias, narrow.
KERNEL nnue_gather(Words w) {
    const unsigned *starts = (const unsigned *)w.p[0];
    const float4 *numbers = (const float4 *)w.p[2];
    float4 *out = (float4 *)w.p[3];
    unsigned fours = w.n[1];
    EACH(i, w.n[0] * fours) {
        unsigned list = i / fours, column = i % fours, end = starts[list + 1];
        float4 sum = numbers[w.n[2] * fours + column];
        UNROLL
        for (unsigned at = starts[list]; at < end; at++) add4(&sum, numbers[item(w.p[1], at, w.n[3]) * fours + column]);
        sum.x = clip(sum.x);
        sum.y = clip(sum.y);
        sum.z = clip(sum.z);
        sum.w = clip(sum.w);
        out[i] = sum;
    }
}

// Squares, or products of the lower and the upper half. p: clipped, out. n: lists, width, activation.
KERNEL nnue_activate(Words w) {
    const float *clipped = (const float *)w.p[0];
    float *out = (float *)w.p[1];
    unsigned width = w.n[1], pairs = width / 2;
    if (w.n[2] == PAIRWISE) {
        EACH(i, w.n[0] * pairs) {
            const float *row = clipped + i / pairs * width + i % pairs;
            out[i] = row[0] * row[pairs];
        }
    } else {
        EACH(i, w.n[0] * width) out[i] = clipped[i] * clipped[i];
    }
}

// Adds the biases of each position's bucket. p: sums, biases, labels, clipped sums or nothing. n: positions, outputs.
KERNEL nnue_bias(Words w) {
    float *sums = (float *)w.p[0], *clipped = (float *)w.p[3];
    const float *biases = (const float *)w.p[1];
    const unsigned *labels = (const unsigned *)w.p[2];
    unsigned outputs = w.n[1];
    EACH(i, w.n[0] * outputs) {
        float sum = sums[i] + biases[(labels[i / outputs] >> 18) * outputs + i % outputs];
        sums[i] = sum;
        if (clipped) clipped[i] = clip(sum);
    }
}

// The loss of each position, its slope by the output, and sums in parts: [parts][4], loss, squared error against the result,
// decided games, right signs. p: outputs, labels, slopes or nothing, sums. n: positions, positions of a part, parts.
// f: scale, share of the result, power, batch.
KERNEL nnue_loss(Words w) {
    const float *outputs = (const float *)w.p[0];
    const unsigned *labels = (const unsigned *)w.p[1];
    float *slopes = (float *)w.p[2];
    double *sums = (double *)w.p[3];
    unsigned positions = w.n[0], part = w.n[1];
    float power = w.f[2];
    EACH(i, w.n[2]) {
        unsigned first = i * part, end = first + part < positions ? first + part : positions;
        double losses = 0.0, values = 0.0, decided = 0.0, signs = 0.0;
        for (unsigned at = first; at < end; at++) {
            unsigned points = labels[at] >> 16 & 3;
            float of_score = logistic((short)(labels[at] & 0xFFFF) / w.f[0]);
            // 3: no result is known.
            float result = points == 3 ? of_score : points * 0.5f;
            float target = of_score + w.f[1] * (result - of_score);
            float expected = logistic(outputs[at]), error = expected - target;
            float loss = error * error, by_error = 2.0f * error;
            if (power != 2.0f) {
                float size = powf(fabsf(error), power - 1.0f);
                loss = size * fabsf(error);
                by_error = error < 0.0f ? -power * size : power * size;
            }
            losses += loss;
            values += 4.0f * (expected - result) * (expected - result);
            if (points == 0 || points == 2) {
                decided += 1.0;
                signs += (outputs[at] > 0.0f) == (points == 2);
            }
            if (slopes) slopes[at] = by_error * expected * (1.0f - expected) / w.f[3];
        }
        sums[4 * i] = losses;
        sums[4 * i + 1] = values;
        sums[4 * i + 2] = decided;
        sums[4 * i + 3] = signs;
    }
}

// Adds the parts in their order. p: parts, totals. n: parts.
KERNEL nnue_loss_total(Words w) {
    const double *sums = (const double *)w.p[0];
    double *totals = (double *)w.p[1];
    EACH(i, 4) {
        double sum = 0.0;
        UNROLL
        for (int part = 0; part < w.n[0]; part++) sum += sums[4 * part + i];
        totals[i] += sum;
    }
}

// Slopes by clipped sums become those by the sums. p: slopes, sums. n: numbers.
KERNEL nnue_clip_back(Words w) {
    float *slopes = (float *)w.p[0];
    const float *sums = (const float *)w.p[1];
    EACH(i, w.n[0]) {
        if (!(sums[i] > 0.0f && sums[i] < 1.0f)) slopes[i] = 0.0f;
    }
}

// Slopes by activated accumulators become those by the accumulators. p: clipped, slopes, out. n: lists, width, activation.
KERNEL nnue_activate_back(Words w) {
    const float *clipped = (const float *)w.p[0], *slopes = (const float *)w.p[1];
    float *out = (float *)w.p[2];
    unsigned width = w.n[1], pairs = width / 2;
    EACH(i, w.n[0] * width) {
        float at = clipped[i], up = 0.0f;
        if (at > 0.0f && at < 1.0f) {
            if (w.n[2] == PAIRWISE) {
                unsigned column = i % width;
                up = slopes[i / width * pairs + column % pairs] * clipped[column < pairs ? i + pairs : i - pairs];
            } else {
                up = w.n[2] == SCRELU ? slopes[i] * (at + at) : slopes[i];
            }
        }
        out[i] = up;
    }
}

// Gradients of rows, each the sum over its readers, or parts of that. p: chunks, readers, slopes, gradient, parts.
// n: chunks, columns in fours, narrow.
KERNEL nnue_rows_back(Words w) {
    const unsigned *chunks = (const unsigned *)w.p[0];
    const float4 *slopes = (const float4 *)w.p[2];
    unsigned fours = w.n[1];
    EACH(i, w.n[0] * fours) {
        unsigned chunk = i / fours, column = i % fours;
        unsigned target = chunks[2 * chunk + 1], end = chunks[2 * chunk + 2];
        float4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
        UNROLL
        for (unsigned at = chunks[2 * chunk]; at < end; at++) {
            add4(&sum, slopes[item(w.p[1], at, w.n[2]) * fours + column]);
        }
        float4 *to = (float4 *)(target & PART ? w.p[4] : w.p[3]);
        to[(target & ~PART) * fours + column] = sum;
    }
}

// Gradients of rows from their parts. p: rows and their first parts, parts, gradient. n: rows, columns in fours.
KERNEL nnue_rows_total(Words w) {
    const unsigned *rows = (const unsigned *)w.p[0];
    const float4 *parts = (const float4 *)w.p[1];
    float4 *gradient = (float4 *)w.p[2];
    unsigned fours = w.n[1];
    EACH(i, w.n[0] * fours) {
        unsigned row = i / fours, column = i % fours;
        float4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
        UNROLL
        for (unsigned part = rows[2 * row + 1]; part < rows[2 * row + 3]; part++) add4(&sum, parts[part * fours + column]);
        gradient[rows[2 * row] * fours + column] = sum;
    }
}

__device__ static float rounded_value(float value, float one) { return rintf(value * one) / one; }

// AdamW (Loshchilov and Hutter, 2019); the gradient becomes 0. p: values, gradient, both moments, rounded values or nothing,
// rows that are moved or nothing: all. n: numbers that are moved, width of a row.
// f: rate, decay, both betas, both corrections, bound, one (0: not rounded).
KERNEL nnue_adamw(Words w) {
    float *values = (float *)w.p[0], *gradient = (float *)w.p[1];
    float *first = (float *)w.p[2], *second = (float *)w.p[3], *rounded = (float *)w.p[4];
    const unsigned *rows = (const unsigned *)w.p[5];
    unsigned width = w.n[1];
    EACH(i, w.n[0]) {
        unsigned at = rows ? rows[i / width] * width + i % width : i;
        float slope = gradient[at], value = values[at];
        float mean = w.f[2] * first[at] + (1.0f - w.f[2]) * slope;
        float square = w.f[3] * second[at] + (1.0f - w.f[3]) * (slope * slope);
        // A small number keeps the root away from 0.
        float pace = mean * w.f[4] / (sqrtf(square * w.f[5]) + 1e-8f);
        float moved = value - w.f[0] * (pace + w.f[1] * value);
        moved = moved > w.f[6] ? w.f[6] : moved < -w.f[6] ? -w.f[6] : moved;
        gradient[at] = 0.0f;
        first[at] = mean;
        second[at] = square;
        values[at] = moved;
        if (rounded) rounded[at] = w.f[7] > 0.0f ? rounded_value(moved, w.f[7]) : moved;
    }
}

// Values as the integers of the network will have them. p: values, out. n: numbers. f: one (0: not rounded).
KERNEL nnue_round(Words w) {
    const float *values = (const float *)w.p[0];
    float *out = (float *)w.p[1];
    EACH(i, w.n[0]) out[i] = w.f[0] > 0.0f ? rounded_value(values[i], w.f[0]) : values[i];
}

// Sums of squares in parts. p: numbers, sums. n: numbers, numbers of a part, parts.
KERNEL nnue_squares(Words w) {
    const float *numbers = (const float *)w.p[0];
    double *sums = (double *)w.p[1];
    unsigned count = w.n[0], part = w.n[1];
    EACH(i, w.n[2]) {
        unsigned first = i * part, end = first + part < count ? first + part : count;
        double sum = 0.0;
        UNROLL
        for (unsigned at = first; at < end; at++) sum += (double)numbers[at] * numbers[at];
        sums[i] = sum;
    }
}
