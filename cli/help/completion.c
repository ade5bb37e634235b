/* Scripts by which shells complete verbs, options and files, from the table of verbs that help prints. */
#include "help/manual.h"

#include "report.h"

#include <stdio.h>
#include <string.h>

static void print_verbs(void)
{
    for (int k = 0; verbs[k]; k++)
        printf("%s%s", k ? " " : "", verbs[k]->name);
}

/* ---- bash. */

static void print_bash(void)
{
    puts("# Completion of slipstick for bash, made by `slipstick help --completion bash`.\n"
         "_slipstick() {\n"
         "    local current=${COMP_WORDS[COMP_CWORD]} options=\"\"\n"
         "    COMPREPLY=()");
    fputs("    local verbs=\"", stdout);
    print_verbs();
    puts("\"\n"
         "    if [ \"$COMP_CWORD\" -eq 1 ] || [ \"${COMP_WORDS[1]}\" = help ] && [[ $current != -* ]]; then\n"
         "        mapfile -t COMPREPLY < <(compgen -W \"$verbs\" -- \"$current\")\n"
         "        return\n"
         "    fi\n"
         "    case ${COMP_WORDS[1]} in");
    for (int k = 0; verbs[k]; k++) {
        const cli_option *option;
        printf("    %s) options=\"", verbs[k]->name);
        for (int i = 0; (option = verb_option(verbs[k], i)); i++) {
            printf("%s--%s", i ? " " : "", option->name);
            if (option->letter)
                printf(" -%c", option->letter);
        }
        puts("\" ;;");
    }
    puts("    esac\n"
         "    if [[ $current == -* ]]; then\n"
         "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$current\")\n"
         "    else\n"
         "        compopt -o filenames 2>/dev/null\n"
         "        mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
         "    fi\n"
         "}\n"
         "complete -F _slipstick slipstick");
}

/* ---- zsh. */

/* Within single quotes; what _arguments takes for its own signs is escaped. */
static void print_quoted(const char *text)
{
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", stdout);
        else if (*text == '\n')
            putchar(' ');
        else if (strchr("[]:\\", *text))
            printf("\\%c", *text);
        else
            putchar(*text);
}

static void print_zsh_option(const cli_option *option)
{
    fputs(" \\\n        ", stdout);
    if (option->letter)
        printf("'(-%c --%s)'{-%c,--%s}'[", option->letter, option->name, option->letter, option->name);
    else
        printf("'--%s[", option->name);
    print_quoted(option->help);
    putchar(']');
    if (option->value) {
        putchar(':');
        print_quoted(option->value);
        fputs(":_files", stdout);
    }
    putchar('\'');
}

static void print_zsh(void)
{
    puts("#compdef slipstick\n"
         "# Completion of slipstick for zsh, made by `slipstick help --completion zsh`.\n"
         "local -a verbs=(");
    for (int k = 0; verbs[k]; k++) {
        printf("    '%s:", verbs[k]->name);
        print_quoted(verbs[k]->summary);
        puts("'");
    }
    puts(")\n"
         "if (( CURRENT == 2 )) || [[ $words[2] == help ]]; then\n"
         "    _describe verb verbs\n"
         "    return\n"
         "fi\n"
         "shift words\n"
         "(( CURRENT-- ))\n"
         "case $words[1] in");
    for (int k = 0; verbs[k]; k++) {
        const cli_option *option;
        printf("%s)\n    _arguments", verbs[k]->name);
        for (int i = 0; (option = verb_option(verbs[k], i)); i++)
            print_zsh_option(option);
        puts(" '*:FILE:_files' ;;");
    }
    puts("esac");
}

int print_completion(const char *shell)
{
    if (strcmp(shell, "bash") == 0)
        print_bash();
    else if (strcmp(shell, "zsh") == 0)
        print_zsh();
    else
        return fail_usage(verb_find("help"), "`--completion`: found `%s`, expected bash or zsh", shell);
    return exit_done;
}
