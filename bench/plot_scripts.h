// SPDX-License-Identifier: Apache-2.0
//
// Scripts for gnuplot. The variables device, terminal, points, data and picture are set before.

#ifndef CLND_BENCH_PLOT_SCRIPTS_H
#define CLND_BENCH_PLOT_SCRIPTS_H

static const char script_common[] = "high = 640\n"
                                    "blue = '#0060a0'\n"
                                    "red = '#c04020'\n"
                                    "grey = '#909090'\n"
                                    "green = '#408040'\n"
                                    "set datafile missing '?'\n"
                                    "set style line 1 lc rgb blue lw 2 pt 7 ps 1.2\n"
                                    "set style line 2 lc rgb red lw 2 pt 5 ps 1.2\n"
                                    "set style line 3 lc rgb green lw 1.5 pt 9 ps 1.2\n"
                                    "set style line 4 lc rgb grey lw 1.5 dt 2\n"
                                    "set grid lt 1 lw 0.5 lc rgb '#c8c8c8'\n"
                                    "set border 3\n"
                                    "set xtics nomirror\n"
                                    "set ytics nomirror\n"
                                    "set key left top reverse Left samplen 2\n";

// One line for each case, from what was reached to the limit. The first is at the top.
static const char script_limits[] =
    "high = 180 + 21 * points\n"
    "set terminal terminal size 1000, high background '#ffffff'\n"
    "set output picture\n"
    "set title sprintf(\"Reached and possible\\n%s\", device)\n"
    "set xlabel 'payload, GB/s (logarithmic)'\n"
    "set logscale x\n"
    "set yrange [points - 0.5 : -0.5]\n"
    "set key below horizontal\n"
    "set bmargin 6\n"
    "plot data using 3:1:3:4:1:1:ytic(2) with xyerrorbars ls 4 dt 1 pt 0 notitle, \\\n"
    "     data using 4:1 with points lc rgb grey pt 2 ps 1.1 lw 2 title 'limit', \\\n"
    "     data using 5:1 with points lc rgb green pt 8 ps 1.2 lw 2 title 'C loop', \\\n"
    "     data using 3:1 with points lc rgb blue pt 7 ps 1.1 title 'clnd'\n";

static const char script_row_sizes[] =
    "set terminal terminal size 900, high background '#ffffff'\n"
    "set output picture\n"
    "set title sprintf(\"Gathers of rows\\n%s\", device)\n"
    "set xlabel 'bytes of a row'\n"
    "set ylabel 'payload, GB/s (logarithmic)'\n"
    "set logscale x 2\n"
    "set logscale y\n"
    "set xtics (4, 8, 16, 32, 64, 128, 256, 512, '1 Ki' 1024, '4 Ki' 4096, '16 Ki' 16384)\n"
    "set xrange [3.5:19000]\n"
    "set key right bottom\n"
    "plot data using 1:5 with lines ls 4 title 'plain copy', \\\n"
    "     data using 1:3 with lines lc rgb grey lw 2 title 'limit', \\\n"
    "     data using 1:4 with linespoints ls 3 title 'C loop', \\\n"
    "     data using 1:2 with linespoints ls 1 title 'clnd'\n";

#define SCRIPT_STRATEGIES(title)                                                                   \
    "set terminal terminal size 900, high background '#ffffff'\n"                                  \
    "set output picture\n"                                                                         \
    "set title sprintf(\"" title "\\n%s\", device)\n"                                              \
    "set xlabel 'bytes of a row'\n"                                                                \
    "set ylabel 'payload, GB/s (logarithmic)'\n"                                                   \
    "set logscale x 2\n"                                                                           \
    "set logscale y\n"                                                                             \
    "set xtics (4, 16, 64, 256, '1 Ki' 1024, '4 Ki' 4096)\n"                                       \
    "set xrange [3.5:4800]\n"                                                                      \
    "stats data using 1 nooutput\n"                                                                \
    "plot for [i = 0 : STATS_blocks - 1] data index i using 1:2 with linespoints ls i + 1 \\\n"    \
    "     title columnheader(1)\n"

static const char script_gather_strategies[] = SCRIPT_STRATEGIES("Strategies of gathers");
static const char script_scatter_strategies[] =
    SCRIPT_STRATEGIES("Strategies of sums, no duplicates on average");

static const char script_duplicates[] =
    "set terminal terminal size 900, high background '#ffffff'\n"
    "set output picture\n"
    "set title sprintf(\"Sums of rows of 64 bytes\\n%s\", device)\n"
    "set xlabel 'updates for each row of the target, on average'\n"
    "set ylabel 'million updates of elements a second'\n"
    "set logscale x 4\n"
    "set xrange [0.8:*]\n"
    "set yrange [0:*]\n"
    "set key right bottom\n"
    "stats data using 1 nooutput\n"
    "plot for [i = 0 : STATS_blocks - 1] data index i using 1:5 with linespoints ls i + 1 \\\n"
    "     title columnheader(1)\n";

#endif
