/* SPDX-License-Identifier: MIT
 * The processor probe and the number of threads worth starting: see lib/base/cpu.h. */
#include "lib/base/cpu.h"

#include "lib/base/ws.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>

enum {
    L1_ECX_FMA = 1 << 12,
    L1_ECX_OSXSAVE = 1 << 27,
    L7_EBX_AVX2 = 1 << 5,
    L7_EBX_BMI2 = 1 << 8,
    L7_EBX_AVX512F = 1 << 16,
    L7_EBX_AVX512DQ = 1 << 17,
    L7_EBX_AVX512BW = 1 << 30,
    XCR0_YMM = 0x06, /* SSE and AVX state */
    XCR0_ZMM = 0xe6  /* and the mask registers, the upper halves, registers 16-31 */
};
#define L7_EBX_AVX512VL (1u << 31)

static uint64_t xcr0(void) {
    uint32_t lo, hi;
    __asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
    return (uint64_t)hi << 32 | lo;
}

static const char *without_avx2(uint32_t ecx1, uint32_t ebx7, uint64_t saved) {
    if (!(ecx1 & L1_ECX_OSXSAVE)) return "the operating system does not save vector registers";
    if ((saved & XCR0_YMM) != XCR0_YMM) return "the operating system does not save 256-bit registers";
    if (!(ebx7 & L7_EBX_AVX2)) return "the processor has no AVX2";
    if (!(ecx1 & L1_ECX_FMA)) return "the processor has no FMA";
    if (!(ebx7 & L7_EBX_BMI2)) return "the processor has no BMI2";
    return NULL;
}

static const char *without_avx512(uint32_t ebx7, uint64_t saved) {
    if (!(ebx7 & L7_EBX_AVX512F)) return "the processor has no AVX-512";
    if ((saved & XCR0_ZMM) != XCR0_ZMM) return "the operating system does not save 512-bit registers";
    if (!(ebx7 & L7_EBX_AVX512BW)) return "the processor's AVX-512 lacks BW";
    if (!(ebx7 & L7_EBX_AVX512VL)) return "the processor's AVX-512 lacks VL";
    if (!(ebx7 & L7_EBX_AVX512DQ)) return "the processor's AVX-512 lacks DQ";
    return NULL;
}

void ws_cpu_probe(ws_cpu *cpu) {
    uint32_t a, b, c = 0, d, b7 = 0, c7, d7;
    uint64_t saved = 0;
    if (!__get_cpuid(1, &a, &b, &c, &d)) c = 0;
    if (!__get_cpuid_count(7, 0, &a, &b7, &c7, &d7)) b7 = 0;
    if (c & L1_ECX_OSXSAVE) saved = xcr0();
    cpu->why_not_avx2 = without_avx2(c, b7, saved);
    cpu->why_not_avx512 = cpu->why_not_avx2 ? cpu->why_not_avx2 : without_avx512(b7, saved);
    cpu->avx2 = !cpu->why_not_avx2;
    cpu->avx512 = !cpu->why_not_avx512;
}

#else

void ws_cpu_probe(ws_cpu *cpu) {
    *cpu = (ws_cpu){.why_not_avx2 = "not an x86-64 processor", .why_not_avx512 = "not an x86-64 processor"};
}

#endif

/* Cores in the affinity mask; masks of machines beyond 1024 cores need a larger set. */
static int affine_cores(void) {
    for (int max = 1024; max <= 1 << 18; max *= 4) {
        cpu_set_t *set = CPU_ALLOC(max);
        if (!set) break;
        size_t size = CPU_ALLOC_SIZE(max);
        int n = sched_getaffinity(0, size, set) == 0 ? CPU_COUNT_S(size, set) : 0;
        CPU_FREE(set);
        if (n > 0) return n;
    }
    return 1;
}

static int read_line(const char *path, char *buf, size_t size) {
    FILE *f = fopen(path, "r");
    if (!f) return 0;
    int ok = fgets(buf, (int)size, f) != NULL;
    fclose(f);
    return ok;
}

/* The quota of one cgroup folder in cores, rounded up; 0: none. */
static int quota_here(const char *folder, int v2) {
    char path[4200], line[128];
    long long quota = 0, period = 0;
    if (v2) {
        snprintf(path, sizeof path, "%s/cpu.max", folder);
        if (!read_line(path, line, sizeof line) || sscanf(line, "%lld %lld", &quota, &period) != 2) return 0;
    } else {
        snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", folder);
        if (!read_line(path, line, sizeof line)) return 0;
        quota = atoll(line);
        snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder);
        if (!read_line(path, line, sizeof line)) return 0;
        period = atoll(line);
    }
    if (quota <= 0 || period <= 0) return 0;
    long long cores = (quota + period - 1) / period;
    return cores > 1 << 20 ? 1 << 20 : (int)cores;
}

/* The tightest quota on the way from our group up to the mount point; a container sees only the upper end of it. */
static int quota_upwards(const char *mount, const char *group, int v2) {
    char folder[4096];
    int best = 0;
    snprintf(folder, sizeof folder, "%s%s", mount, group);
    for (;;) {
        int q = quota_here(folder, v2);
        if (q && (!best || q < best)) best = q;
        char *slash = strrchr(folder, '/');
        if (!slash || (size_t)(slash - folder) < strlen(mount)) return best;
        *slash = '\0';
    }
}

static int has_word(const char *list, const char *word) {
    size_t n = strlen(word);
    for (const char *p = list; p; p = strchr(p, ',')) {
        p += *p == ',';
        if (!strncmp(p, word, n) && (p[n] == '\0' || p[n] == ',')) return 1;
    }
    return 0;
}

/* One line of /proc/self/cgroup is "number:controllers:group"; version 2 has no controllers. */
static int quota_of_line(char *line) {
    line[strcspn(line, "\n")] = '\0';
    char *list = strchr(line, ':'), *group = list ? strchr(list + 1, ':') : NULL;
    if (!group) return 0;
    *list++ = *group++ = '\0';
    if (!*list) {
        int q = quota_upwards("/sys/fs/cgroup", group, 1);
        return q ? q : quota_upwards("/sys/fs/cgroup/unified", group, 1);
    }
    if (!has_word(list, "cpu")) return 0;
    int q = quota_upwards("/sys/fs/cgroup/cpu", group, 0);
    return q ? q : quota_upwards("/sys/fs/cgroup/cpu,cpuacct", group, 0);
}

static int quota_cores(void) {
    char line[4096];
    int best = 0;
    FILE *f = fopen("/proc/self/cgroup", "r");
    if (!f) return 0;
    while (fgets(line, sizeof line, f)) {
        int q = quota_of_line(line);
        if (q && (!best || q < best)) best = q;
    }
    fclose(f);
    return best;
}

int ws_cpu_allowed(void) {
    int n = affine_cores(), q = quota_cores();
    return q && q < n ? q : n;
}
