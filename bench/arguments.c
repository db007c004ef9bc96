// SPDX-License-Identifier: Apache-2.0

#include "arguments.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "failure.h"
#include "text.h"

enum option_id {
    OPTION_AXIS = 256,
    OPTION_BATCH_DIMS,
    OPTION_BOUNDS,
    OPTION_COMPARE,
    OPTION_CSV,
    OPTION_DESCRIBE,
    OPTION_DETERMINISTIC,
    OPTION_DEVICE,
    OPTION_DIST,
    OPTION_FILTER,
    OPTION_FROM,
    OPTION_HOT,
    OPTION_INDICES,
    OPTION_INPUT,
    OPTION_JSON,
    OPTION_LIST,
    OPTION_NO_C,
    OPTION_PAGES,
    OPTION_PARAMS,
    OPTION_PLOT,
    OPTION_QUICK,
    OPTION_REDUCE,
    OPTION_ROUNDS,
    OPTION_SAMPLES,
    OPTION_SECONDS,
    OPTION_SEED,
    OPTION_SIZE,
    OPTION_SLICE,
    OPTION_SPATTER,
    OPTION_SPATTER_DIR,
    OPTION_STRATEGY,
    OPTION_SWEEPS,
    OPTION_TARGET,
    OPTION_THREADS,
    OPTION_UNIQUE,
    OPTION_COLUMN_MAJOR,
    OPTION_WARM_UP,
};

static const struct option long_options[] = {
    {"axis", required_argument, NULL, OPTION_AXIS},
    {"batch-dims", required_argument, NULL, OPTION_BATCH_DIMS},
    {"bounds", required_argument, NULL, OPTION_BOUNDS},
    {"compare", required_argument, NULL, OPTION_COMPARE},
    {"csv", no_argument, NULL, OPTION_CSV},
    {"describe-json", no_argument, NULL, OPTION_DESCRIBE},
    {"deterministic", no_argument, NULL, OPTION_DETERMINISTIC},
    {"device", required_argument, NULL, OPTION_DEVICE},
    {"dist", required_argument, NULL, OPTION_DIST},
    {"filter", required_argument, NULL, OPTION_FILTER},
    {"from", required_argument, NULL, OPTION_FROM},
    {"help", no_argument, NULL, 'h'},
    {"hot", no_argument, NULL, OPTION_HOT},
    {"indices", required_argument, NULL, OPTION_INDICES},
    {"input", required_argument, NULL, OPTION_INPUT},
    {"json", required_argument, NULL, OPTION_JSON},
    {"list", no_argument, NULL, OPTION_LIST},
    {"no-c", no_argument, NULL, OPTION_NO_C},
    {"pages", required_argument, NULL, OPTION_PAGES},
    {"params", required_argument, NULL, OPTION_PARAMS},
    {"plot", required_argument, NULL, OPTION_PLOT},
    {"quick", no_argument, NULL, OPTION_QUICK},
    {"reduce", required_argument, NULL, OPTION_REDUCE},
    {"rounds", required_argument, NULL, OPTION_ROUNDS},
    {"samples", required_argument, NULL, OPTION_SAMPLES},
    {"seconds", required_argument, NULL, OPTION_SECONDS},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"size", required_argument, NULL, OPTION_SIZE},
    {"slice", required_argument, NULL, OPTION_SLICE},
    {"spatter", required_argument, NULL, OPTION_SPATTER},
    {"spatter-dir", required_argument, NULL, OPTION_SPATTER_DIR},
    {"strategy", required_argument, NULL, OPTION_STRATEGY},
    {"sweeps", no_argument, NULL, OPTION_SWEEPS},
    {"target", required_argument, NULL, OPTION_TARGET},
    {"threads", required_argument, NULL, OPTION_THREADS},
    {"unique", no_argument, NULL, OPTION_UNIQUE},
    {"column-major", no_argument, NULL, OPTION_COLUMN_MAJOR},
    {"warm-up", required_argument, NULL, OPTION_WARM_UP},
    {NULL, 0, NULL, 0},
};

static const char *name_of(int id)
{
    const struct option *option = long_options;
    while (option->name && option->val != id)
        ++option;
    return option->name ? option->name : "?";
}

static bool read_integer(int id, int64_t lowest, int64_t highest, int64_t *value)
{
    char *end;
    errno = 0;
    const long long number = strtoll(optarg, &end, 10);
    *value = number;
    if (errno || end == optarg || *end || number < lowest || number > highest)
        return fail("--%s takes a whole number from %lld to %lld, not '%s'", name_of(id),
                    (long long)lowest, (long long)highest, optarg);
    return true;
}

static bool read_int(int id, int lowest, int highest, int *value)
{
    int64_t number = 0;
    const bool good = read_integer(id, lowest, highest, &number);
    *value = (int)number;
    return good;
}

static bool read_seconds(int id, double *seconds)
{
    char *end;
    *seconds = strtod(optarg, &end);
    if (end == optarg || *end || !(*seconds >= 0 && *seconds <= 3600))
        return fail("--%s takes seconds from 0 to 3600, not '%s'", name_of(id), optarg);
    return true;
}

// The number of the word in a list that ends with NULL.
static bool read_word(int id, const char *const *words, int *value)
{
    char allowed[256] = "";
    for (int i = 0; words[i]; ++i) {
        if (strcmp(words[i], optarg) == 0) {
            *value = i;
            return true;
        }
        const size_t length = strlen(allowed);
        snprintf(allowed + length, sizeof allowed - length, "%s%s", i ? ", " : "", words[i]);
    }
    return fail("--%s takes one of %s, not '%s'", name_of(id), allowed, optarg);
}

static bool read_size(struct arguments *arguments)
{
    static const char *const words[] = {"cpu", "gpu", "tiny", NULL};
    int value = 0;
    const bool good = read_word(OPTION_SIZE, words, &value);
    arguments->size = (enum bench_size)value;
    return good;
}

static bool read_pages(struct arguments *arguments)
{
    const char *const words[] = {pages_name(PAGES_HUGE), pages_name(PAGES_SMALL), NULL};
    int value = 0;
    const bool good = read_word(OPTION_PAGES, words, &value);
    arguments->pages = (enum pages)value;
    return good;
}

static bool read_reduce(struct arguments *arguments)
{
    static const char *const words[] = {"update", "add", "sub", "mul", "min", "max", NULL};
    int value = 0;
    const bool good = read_word(OPTION_REDUCE, words, &value);
    arguments->what.reduce = (clnd_reduce)(CLND_REDUCE_UPDATE + value);
    return good;
}

static bool read_bounds(struct arguments *arguments)
{
    static const char *const words[] = {"default", "error", "zero", "skip", "clamp", "wrap", NULL};
    static const clnd_bounds values[] = {CLND_BOUNDS_DEFAULT, CLND_BOUNDS_ERROR, CLND_BOUNDS_ZERO,
                                         CLND_BOUNDS_SKIP,    CLND_BOUNDS_CLAMP, CLND_BOUNDS_WRAP};
    int value = 0;
    const bool good = read_word(OPTION_BOUNDS, words, &value);
    arguments->what.bounds = values[value];
    return good;
}

static bool read_file(struct arguments *arguments)
{
    enum { MOST = sizeof arguments->files / sizeof *arguments->files };
    if (arguments->n_files == MOST)
        return fail("--spatter can be given %d times", MOST);
    arguments->files[arguments->n_files++] = optarg;
    return true;
}

// In docs/testing.md, "Forcing a strategy". The engine ignores what is none of these.
static const char *const strategy_words[] = {
    "lanes", "blocks",   "tiles", "buffer",    "store", "outer",  "atomic",
    "owner", "buckets",  "sort",  "private",   "must",  "rows",   "stream",
    "long",  "exchange", "packs", "aggregate", "plain", "sample", NULL,
};

static bool read_strategy(struct arguments *arguments)
{
    char *const words = optarg;
    char word[32];
    arguments->what.strategy = words;
    for (const char *at = words; at; at = strchr(at, ',')) {
        at += *at == ',';
        const size_t length = strcspn(at, ",");
        int i = 0;
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word), at);
        while (strategy_words[i] && strcmp(strategy_words[i], word) != 0)
            ++i;
        if (!strategy_words[i]) {
            optarg = word;
            return read_word(OPTION_STRATEGY, strategy_words, &i);
        }
    }
    return true;
}

static const char quick_cases[] = "batched-gather-nd,voxel-k3-random,gnn-add-f32,hist-f32-uniform,"
                                  "slice-step2-nhwc-f32,small-gather";

// One round of few samples, and an end.
static void choose_quick(struct arguments *arguments)
{
    arguments->quick = true;
    arguments->measure.rounds = 1;
    arguments->measure.samples = 3;
    arguments->measure.seconds = 0.1;
    arguments->measure.until = clock_now() + 20; // seconds until the last case begins
}

static bool read_slice(struct arguments *arguments)
{
    const size_t size = sizeof arguments->what.slice;
    if (strlen(optarg) >= size)
        return fail("--slice takes at most %zu characters", size - 1);
    snprintf(arguments->what.slice, size, "%s", optarg);
    return true;
}

enum {
    GATHERS = 1 << OP_GATHER_ND | 1 << OP_GATHER | 1 << OP_GATHER_ELEMENTS,
    SCATTERS = 1 << OP_SCATTER_ND | 1 << OP_SCATTER_ND_INTO | 1 << OP_SCATTER_ELEMENTS,
    SLICES = 1 << OP_SLICE | 1 << OP_SLICE_ASSIGN,
};

// The ops that take an option: a bit for each.
static const unsigned takers[] = {
    [OPTION_PARAMS] = GATHERS,
    [OPTION_TARGET] = SCATTERS,
    [OPTION_INPUT] = SLICES,
    [OPTION_SLICE] = SLICES,
    [OPTION_COLUMN_MAJOR] = 1 << OP_SLICE,
    [OPTION_INDICES] = GATHERS | SCATTERS,
    [OPTION_DIST] = GATHERS | SCATTERS,
    [OPTION_BOUNDS] = GATHERS | SCATTERS,
    [OPTION_AXIS] = 1 << OP_GATHER | 1 << OP_GATHER_ELEMENTS | 1 << OP_SCATTER_ELEMENTS,
    [OPTION_BATCH_DIMS] = 1 << OP_GATHER_ND | 1 << OP_GATHER,
    [OPTION_REDUCE] = SCATTERS,
    [OPTION_DETERMINISTIC] = SCATTERS,
    [OPTION_UNIQUE] = SCATTERS,
    [OPTION_STRATEGY] = GATHERS | SCATTERS | SLICES,
};

// Options that describe a free case.
static bool read_case_option(int id, struct arguments *arguments)
{
    struct bench_case *what = &arguments->what;
    if (!arguments->free_case)
        return fail("--%s describes a case of its own; name its op first", name_of(id));
    if (!(takers[id] >> what->op & 1))
        return fail("%s takes no --%s", what->id, name_of(id));
    switch (id) {
    case OPTION_PARAMS:
    case OPTION_TARGET:
    case OPTION_INPUT:
        return tensor_parse(name_of(id), DTYPE_WORDS, optarg, &what->dtype, &what->data);
    case OPTION_INDICES:
        if (!tensor_parse(name_of(id), INDEX_DTYPE_WORDS, optarg, &what->index_dtype,
                          &what->indices))
            return false;
        return clnd_dtype_is_index(what->index_dtype) ||
               fail("--indices takes " INDEX_DTYPE_WORDS ", not '%s'", optarg);
    case OPTION_DIST:
        return distribution_parse(optarg, &what->distribution);
    case OPTION_AXIS:
        return read_int(id, -CLND_MAX_RANK, CLND_MAX_RANK - 1, &what->axis);
    case OPTION_BATCH_DIMS:
        return read_int(id, -CLND_MAX_RANK, CLND_MAX_RANK, &what->batch_dims);
    case OPTION_REDUCE:
        return read_reduce(arguments);
    case OPTION_BOUNDS:
        return read_bounds(arguments);
    case OPTION_STRATEGY:
        return read_strategy(arguments);
    case OPTION_SLICE:
        return read_slice(arguments);
    case OPTION_DETERMINISTIC:
        what->deterministic = true;
        return true;
    case OPTION_COLUMN_MAJOR:
        what->column_major = true;
        return true;
    default:
        what->unique_indices = true;
        return true;
    }
}

static bool read_option(int id, struct arguments *arguments)
{
    switch (id) {
    case OPTION_DEVICE:
        arguments->device = optarg;
        return true;
    case OPTION_SIZE:
        return read_size(arguments);
    case OPTION_FILTER:
        arguments->filter = optarg;
        return true;
    case OPTION_QUICK:
        choose_quick(arguments);
        return true;
    case OPTION_SPATTER:
        return read_file(arguments);
    case OPTION_SPATTER_DIR:
        arguments->folder = optarg;
        return true;
    case OPTION_SWEEPS:
        arguments->sweeps = true;
        return true;
    case OPTION_SEED: {
        int64_t seed = 0;
        const bool good = read_integer(id, 0, INT32_MAX, &seed);
        arguments->seed = (uint64_t)seed;
        return good;
    }
    case OPTION_HOT:
        arguments->measure.hot = true;
        return true;
    case OPTION_NO_C:
        arguments->measure.baseline = false;
        return true;
    case OPTION_PAGES:
        return read_pages(arguments);
    case OPTION_SAMPLES:
        return read_int(id, 1, 1000000, &arguments->measure.samples);
    case OPTION_SECONDS:
        return read_seconds(id, &arguments->measure.seconds);
    case OPTION_WARM_UP:
        return read_seconds(id, &arguments->measure.warm_up);
    case OPTION_ROUNDS:
        return read_int(id, 1, 1000, &arguments->measure.rounds);
    case OPTION_THREADS:
        return read_int(id, 1, 4096, &arguments->threads);
    case OPTION_JSON:
        arguments->json = optarg;
        return true;
    case OPTION_CSV:
        arguments->csv = true;
        return true;
    case OPTION_COMPARE:
        arguments->compare = optarg;
        return true;
    case OPTION_PLOT:
        arguments->plot = optarg;
        return true;
    case OPTION_FROM:
        arguments->from = optarg;
        return true;
    case OPTION_LIST:
        arguments->list = true;
        return true;
    case OPTION_DESCRIBE:
        arguments->describe = true;
        return true;
    case 'h':
        arguments->help = true;
        return true;
    default:
        return read_case_option(id, arguments);
    }
}

static bool read_op(const char *name, struct arguments *arguments)
{
    if (arguments->free_case)
        return fail("'%s' is one operand too many; see clnd-bench --help", name);
    arguments->free_case = true;
    arguments->what.op = op_from_name(name);
    struct text_nearest nearest = {0};
    for (int op = 0; op < N_OPS; ++op)
        text_offer(&nearest, name, op_name((enum bench_op)op));
    if (arguments->what.op == N_OPS && nearest.word)
        return fail("'%s' is no op; did you mean '%s'?", name, nearest.word);
    if (arguments->what.op == N_OPS)
        return fail("'%s' is no op; an op is gather-nd, gather, gather-elements, scatter-nd, "
                    "scatter-nd-into, scatter-elements, slice or slice-assign",
                    name);
    snprintf(arguments->what.id, sizeof arguments->what.id, "%s", name);
    return true;
}

static bool check_free_case(struct arguments *arguments)
{
    struct bench_case *what = &arguments->what;
    const bool slice = op_is_slice(what->op), scatter = op_is_scatter(what->op) && !slice;
    if (!what->dtype)
        return fail("%s needs --%s", what->id, slice ? "input" : scatter ? "target" : "params");
    if (!slice && !what->index_dtype)
        return fail("%s needs --indices", what->id);
    if (slice && !*what->slice)
        return fail("%s needs --slice", what->id);
    if (scatter && !what->reduce)
        what->reduce = CLND_REDUCE_ADD;
    if (what->op == OP_SLICE_ASSIGN)
        what->reduce = CLND_REDUCE_UPDATE;
    if (arguments->filter || arguments->n_files || arguments->sweeps || arguments->quick)
        return fail("a case of its own goes without --filter, --quick, --spatter and --sweeps");
    what->seed = arguments->seed;
    what->repeated_indices = distribution_is_unique(&what->distribution); // or there are too few
    return true;
}

static bool check_quick(struct arguments *arguments)
{
    if (arguments->filter || arguments->n_files || arguments->sweeps || arguments->plot)
        return fail("--quick goes without --filter, --spatter, --sweeps and --plot");
    arguments->filter = quick_cases;
    return true;
}

// Other programs read CSV and JSON, and nothing else may be among it.
static bool check_output(const struct arguments *arguments)
{
    const bool json = arguments->json && strcmp(arguments->json, "-") == 0;
    return arguments->csv + json + (arguments->compare != NULL) <= 1 ||
           fail("standard output takes one of --csv, --compare and --json -; --json FILE keeps the "
                "results, which --from shows in other ways");
}

static bool refuse_option(const char *word)
{
    struct text_nearest nearest = {0};
    for (const struct option *option = long_options; option->name && word[0] == '-'; ++option)
        text_offer(&nearest, word + 1 + (word[1] == '-'), option->name);
    if (nearest.word)
        return fail("option '%s' is unknown; did you mean --%s?", word, nearest.word);
    return fail("option '%s' is unknown, or not used as it is meant; see clnd-bench --help", word);
}

// The Spatter files lie beside a program that is not installed.
static const char *spatter_folder(const char *program)
{
    static char beside[4096];
    const char *slash = strrchr(program, '/');
    const int length = slash ? (int)(slash - program) : 0;
    if (slash && snprintf(beside, sizeof beside, "%.*s/spatter", length, program) < 4096 &&
        access(beside, R_OK) == 0)
        return beside;
    return BENCH_SPATTER_FOLDER;
}

bool arguments_read(int argc, char **argv, struct arguments *arguments)
{
    enum { OPERAND = 1 }; // what getopt gives for operands, because of the leading '-' below
    *arguments = (struct arguments){
        .size = SIZE_AUTO,
        .folder = spatter_folder(argv[0]),
        .measure = {.samples = 5, .seconds = 0.3, .warm_up = 0.02, .rounds = 2, .baseline = true},
    };
    opterr = 0;
    bool good = true;
    while (good) {
        const char *word = optind < argc ? argv[optind] : "";
        const int id = getopt_long(argc, argv, "-:h", long_options, NULL);
        if (id == -1)
            break;
        if (id == OPERAND)
            good = read_op(optarg, arguments);
        else if (id == ':')
            good = fail("option '%s' needs a value", word);
        else if (id == '?')
            good = refuse_option(word);
        else
            good = read_option(id, arguments);
    }
    if (good && optind < argc)
        good = read_op(argv[optind], arguments);
    if (!good || arguments->help)
        return good;
    return check_output(arguments) && (!arguments->free_case || check_free_case(arguments)) &&
           (!arguments->quick || check_quick(arguments));
}
