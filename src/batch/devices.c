/* The devices that can move lanes. */
#include "base/threads.h"
#include "batch/card.h"
#include "batch/lanes.h"
#include "slipstick/device.h"

#include <stdio.h>
#include <string.h>

static void put(slip_device *device, const char *name, int usable, int side_by_side, const char *description)
{
    slip_device all = {.size = device->size, .usable = usable, .side_by_side = side_by_side};
    snprintf(all.name, sizeof all.name, "%s", name);
    snprintf(all.description, sizeof all.description, "%s", description);
    memcpy(device, &all, device->size < sizeof all ? device->size : sizeof all);
}

int slip_device_list(slip_context *ctx, slip_device *devices, int capacity)
{
    SLIP_NEED(ctx, devices);
    slip_card *card = NULL;
    char text[200];
    const int width = slip_batch_width();
    if (capacity > 0) {
        snprintf(text, sizeof text, "%d processors, %d lanes side by side on each%s", slip_threads(0), width,
                 width == 8   ? " (AVX-512)"
                 : width == 4 ? " (AVX2)"
                              : "");
        put(&devices[0], "cpu", 1, width, text);
    }
    if (capacity > 1) {
        const int status = slip_card_open(ctx, &card);
        put(&devices[1], "cuda", status >= 0, 0, status >= 0 ? card->description : slip_context_message(ctx));
        slip_card_close(card);
    }
    return 2;
}
