/* slipstick devices: what can move many motions together. */
#include "report.h"
#include "verb.h"

#include "slipstick/device.h"

#include <stdio.h>

static int run(cli_arguments *arguments)
{
    slip_device devices[2] = {{.size = sizeof *devices}, {.size = sizeof *devices}};
    slip_context *ctx = slip_context_create();
    const int count = slip_device_list(ctx, devices, 2),
              code = report_status(ctx, count < 0 ? count : SLIP_OK);
    (void)arguments;
    for (int k = 0; k < count; k++)
        printf("%-6s %-4s %s\n", devices[k].name, devices[k].usable ? "yes" : "no", devices[k].description);
    slip_context_destroy(ctx);
    return code;
}

static const cli_option options[] = {{0}};

const cli_verb verb_devices = {
    .name = "devices",
    .summary = "what can move many motions together",
    .operands = "",
    .options = options,
    .about = "Lists the devices that --device of bifurcation, basin and run can name: the processor\n"
             "with its vector units, and a graphics card where its driver and compiler (CUDA) are\n"
             "there.\n",
    .example = "slipstick devices\n",
    .run = run};
