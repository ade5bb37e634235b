/* The list of methods in help texts. */
#ifndef SLIP_CLI_METHODS_H
#define SLIP_CLI_METHODS_H

void list_methods(void);

#endif
