/* SPDX-License-Identifier: MIT
 * Does what a sanitizer must report, so that tests/run.sh knows that it would see a report: report
 * address|leak|undefined|race. Built with the flags of the programs that are tested. Nothing here is right, and no test
 * runs it without a sanitizer. */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int shared;

static void *add(void *n) {
    for (int i = 0; i < *(int *)n; i++) shared++;
    return NULL;
}

static int race(int n) {
    pthread_t other;
    if (pthread_create(&other, NULL, add, &n)) return 1;
    add(&n);
    return pthread_join(other, NULL);
}

int main(int argc, char **argv) {
    const char *what = argc == 2 ? argv[1] : "";
    char *volatile block = malloc(8);
    if (!block) return 1;
    memset(block, argc, 8);
    if (strcmp(what, "address") == 0) printf("%d\n", block[7 + argc]);
    if (strcmp(what, "undefined") == 0) printf("%d\n", INT_MAX - 1 + argc);
    if (strcmp(what, "race") == 0 && race(1000)) return 1;
    if (strcmp(what, "leak") != 0) free(block);
    block = NULL;
    return 0;
}
