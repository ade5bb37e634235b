/* Manual pages in roff, from the table of verbs that help prints. */
#include "help/manual.h"

#include "help/help.h"

#include "slipstick/base.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Text of `length` characters: what roff would take for a command, a hyphen or an escape is said so. */
static void print_text(const char *text, size_t length, bool starts_line)
{
    if (starts_line && length > 0 && (*text == '.' || *text == '\''))
        fputs("\\&", stdout);
    for (size_t k = 0; k < length; k++)
        if (text[k] == '\\')
            fputs("\\e", stdout);
        else if (text[k] == '-')
            fputs("\\-", stdout);
        else
            putchar(text[k]);
}

/* Lines as they are where they are indented, paragraphs that roff may fill elsewhere. */
static void print_paragraphs(const char *text)
{
    bool as_is = false;
    while (*text) {
        const size_t length = strcspn(text, "\n");
        const bool indented = *text == ' ';
        if (indented != as_is && length > 0) {
            puts(indented ? ".nf" : ".fi");
            as_is = indented;
        }
        if (length == 0)
            puts(".PP");
        else {
            print_text(text, length, true);
            putchar('\n');
        }
        text += length + (text[length] == '\n');
    }
    if (as_is)
        puts(".fi");
}

static void print_as_is(const char *text)
{
    puts(".nf");
    while (*text) {
        const size_t length = strcspn(text, "\n");
        print_text(text, length, true);
        putchar('\n');
        text += length + (text[length] == '\n');
    }
    puts(".fi");
}

static void print_title(const char *name)
{
    fputs(".TH \"SLIPSTICK", stdout);
    if (*name)
        fputs("\\-", stdout);
    for (; *name; name++)
        putchar(toupper((unsigned char)*name));
    printf("\" 1 \"\" \"slipstick %s\" \"Slipstick\"\n", slip_version());
}

static void print_option(const cli_option *option)
{
    puts(".TP");
    if (option->letter)
        printf("\\fB\\-%c\\fR, ", option->letter);
    fputs("\\fB\\-\\-", stdout);
    print_text(option->name, strlen(option->name), false);
    fputs("\\fR", stdout);
    if (option->value) {
        fputs(" \\fI", stdout);
        print_text(option->value, strlen(option->value), false);
        fputs("\\fR", stdout);
    }
    putchar('\n');
    print_paragraphs(option->help);
    putchar('\n');
}

void print_verb_manual(const cli_verb *verb)
{
    const cli_option *option;
    print_title(verb->name);
    printf(".SH NAME\nslipstick\\-%s \\- ", verb->name);
    print_text(verb->summary, strlen(verb->summary), false);
    printf("\n.SH SYNOPSIS\n\\fBslipstick %s\\fR [\\fIOPTIONS\\fR] ", verb->name);
    print_text(verb->operands, strlen(verb->operands), false);
    puts("\n.SH DESCRIPTION");
    print_paragraphs(verb->about);
    puts(".SH OPTIONS");
    for (int k = 0; (option = verb_option(verb, k)); k++)
        print_option(option);
    if (verb->list) {
        puts(".SH \"WHAT THERE IS\"\n.nf");
        verb->list();
        puts(".fi");
    }
    puts(".SH EXAMPLES");
    print_as_is(verb->example);
    puts(".SH \"SEE ALSO\"\n.BR slipstick (1)");
}

void print_general_manual(void)
{
    print_title("");
    puts(".SH NAME\nslipstick \\- simulation of mechanical systems with dry friction and contact\n.SH "
         "SYNOPSIS\n"
         "\\fBslipstick\\fR \\fIVERB\\fR ...\n.SH VERBS");
    for (int k = 0; verbs[k]; k++) {
        printf(".TP\n\\fB%s\\fR\n", verbs[k]->name);
        print_text(verbs[k]->summary, strlen(verbs[k]->summary), true);
        putchar('\n');
    }
    puts(".SH \"FIRST STEPS AND EXIT CODES\"\n.nf");
    print_general_end(stdout);
    puts(".fi\n.SH \"SEE ALSO\"");
    for (int k = 0; verbs[k]; k++)
        printf(".BR slipstick\\-%s (1)%s\n", verbs[k]->name, verbs[k + 1] ? "," : "");
}
