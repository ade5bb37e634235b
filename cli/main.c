#include "slipstick/base.h"

#include <stdio.h>

int main(void)
{
    printf("slipstick %s\n", slip_version());
    return 0;
}
