/* SPDX-License-Identifier: MIT
 * How many threads and how much memory control groups allow: trees of /proc and /sys/fs/cgroup as machines have them.
 */
#include "lib/base/cpu.h"
#include "lib/base/memory.h"

#include "tests/tap.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define V2 "30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n"
#define V1(n, c) "3" n " 20 0:3" n " / /sys/fs/cgroup/" c " rw - cgroup cgroup rw," c "\n"
#define CG "/sys/fs/cgroup"

/* A tree is "path", "content", ... */
static const struct {
    const char *what, *file[16];
    int affinity, cores;
    uint64_t memory;
    const char *limit;
} tree[] = {
    {"no groups",
     {"/proc/self/mountinfo", "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"},
     64, 64, UINT64_MAX, "cores of this"},
    {"version 2, in a container",
     {"/proc/self/mountinfo", V2, "/proc/self/cgroup", "0::/\n", CG "/cpu.max", "200000 100000\n",
      CG "/memory.max", "1073741824\n"},
     64, 2, 1 << 30, "quota"},
    {"version 2, no limits",
     {"/proc/self/mountinfo", V2, "/proc/self/cgroup", "0::/\n", CG "/cpu.max", "max 100000\n",
      CG "/memory.max", "max\n"},
     64, 64, UINT64_MAX, "cores of this"},
    {"version 2, the least is above",
     {"/proc/self/mountinfo", V2, "/proc/self/cgroup", "0::/kube/pod/c\n",
      CG "/kube/pod/c/cpu.max", "800000 100000\n", CG "/kube/pod/cpu.max", "150000 100000\n",
      CG "/kube/memory.max", "5000\n", CG "/kube/pod/c/memory.max", "9000\n"},
     64, 2, 5000, "quota"},
    {"version 2, the group of the host, its own mounted",
     {"/proc/self/mountinfo", "30 20 0:26 /docker/x /sys/fs/cgroup rw - cgroup2 cgroup rw\n",
      "/proc/self/cgroup", "0::/docker/x/in\n", CG "/in/cpu.max", "300000 100000\n",
      CG "/memory.max", "7000\n"},
     64, 3, 7000, "quota"},
    {"version 2, a group that cannot be seen",
     {"/proc/self/mountinfo", V2, "/proc/self/cgroup", "0::/../../other\n", CG "/cpu.max", "400000 100000\n"},
     64, 4, UINT64_MAX, "quota"},
    {"version 2, a CPU set",
     {"/proc/self/mountinfo", V2, "/proc/self/cgroup", "0::/a\n", CG "/a/cpuset.cpus.effective", "0-2,8\n",
      CG "/a/cpu.max", "max 100000\n"},
     64, 4, UINT64_MAX, "set"},
    {"version 2, less by affinity",
     {"/proc/self/mountinfo", V2, "/proc/self/cgroup", "0::/\n", CG "/cpu.max", "800000 100000\n",
      CG "/cpuset.cpus.effective", "0-5\n"},
     3, 3, UINT64_MAX, "cores of this"},
    {"version 1",
     {"/proc/self/mountinfo", V1("1", "cpu,cpuacct") V1("2", "memory") V1("3", "cpuset"),
      "/proc/self/cgroup", "4:memory:/m\n3:cpu,cpuacct:/c/d\n2:cpuset:/\n",
      CG "/cpu,cpuacct/c/cpu.cfs_quota_us", "250000\n", CG "/cpu,cpuacct/c/cpu.cfs_period_us", "100000\n",
      CG "/memory/m/memory.limit_in_bytes", "123456\n"},
     64, 3, 123456, "quota"},
    {"version 1, none",
     {"/proc/self/mountinfo", V1("1", "cpu") V1("2", "memory"), "/proc/self/cgroup", "4:memory:/\n3:cpu:/\n",
      CG "/cpu/cpu.cfs_quota_us", "-1\n", CG "/cpu/cpu.cfs_period_us", "100000\n"},
     64, 64, UINT64_MAX, "cores of this"},
    {"both versions",
     {"/proc/self/mountinfo", V1("1", "cpu") "39 20 0:9 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
      "/proc/self/cgroup", "1:cpu:/a\n0::/b\n", CG "/cpu/a/cpu.cfs_quota_us", "500000\n",
      CG "/cpu/a/cpu.cfs_period_us", "100000\n", CG "/unified/b/cpu.max", "600000 100000\n",
      CG "/unified/b/memory.max", "4096\n"},
     64, 5, 4096, "quota"},
    {"no /proc",
     {CG "/cpu.max", "100000 100000\n", CG "/memory.max", "8192\n"},
     64, 1, 8192, "quota"},
};

static void put(const char *root, const char *path, const char *text) {
    char full[512];
    snprintf(full, sizeof full, "%s%s", root, path);
    for (char *p = full + strlen(root) + 1; (p = strchr(p, '/')); p++) {
        *p = '\0';
        (void)mkdir(full, 0755);
        *p = '/';
    }
    FILE *f = fopen(full, "w");
    if (!f || fputs(text, f) < 0 || fclose(f)) perror(full);
}

static void check_trees(tap *t) {
    char top[] = "/tmp/groups.XXXXXX", root[64], command[64];
    if (!mkdtemp(top)) perror(top);
    for (size_t i = 0; i < sizeof tree / sizeof *tree; i++) {
        const char *limit;
        snprintf(root, sizeof root, "%s/%zu", top, i);
        (void)mkdir(root, 0755);
        for (const char *const *f = tree[i].file; *f; f += 2) put(root, f[0], f[1]);
        const ws_cgroup g = ws_cgroup_read(root);
        const int cores = ws_cpu_least(tree[i].affinity, &g, &limit);
        tap_ok(t, cores == tree[i].cores && g.memory == tree[i].memory && strstr(limit, tree[i].limit),
               "%s: %d cores by %s, %llu bytes", tree[i].what, cores, limit, (unsigned long long)g.memory);
    }
    snprintf(command, sizeof command, "rm -rf %s", top);
    if (system(command)) perror(command);
}

int main(void) {
    static const struct {
        long long quota, period;
        int cores;
    } v[] = {{100000, 100000, 1}, {150000, 100000, 2}, {200000, 100000, 2}, {200001, 100000, 3}, {1000, 100000, 1},
             {-1, 100000, 0},     {0, 100000, 0},      {100000, 0, 0},      {LLONG_MAX, 1, 1 << 20}};
    tap t = {0};
    for (size_t i = 0; i < sizeof v / sizeof *v; i++)
        tap_ok(&t, ws_cgroup_quota(v[i].quota, v[i].period) == v[i].cores, "%lld us of every %lld us: %d cores",
               v[i].quota, v[i].period, v[i].cores);
    tap_ok(&t, ws_cgroup_set("0-3,8\n") == 5 && ws_cgroup_set("7") == 1 && ws_cgroup_set("\n") == 0 &&
                   ws_cgroup_set("3-1") == 0 && ws_cgroup_set("0-x") == 0 && ws_cgroup_set("a") == 0, "CPU sets");
    check_trees(&t);
    tap_ok(&t, ws_cpu_allowed() >= 1, "here at least one, by %s", ws_cpu_limit());
    tap_ok(&t,
           ws_cgroup_memory("max\n") == UINT64_MAX && ws_cgroup_memory("") == UINT64_MAX &&
               ws_cgroup_memory("12x") == UINT64_MAX && ws_cgroup_memory("1073741824\n") == 1 << 30 &&
               ws_cgroup_memory("99999999999999999999999") == UINT64_MAX,
           "limits of memory");
    const uint64_t all = ws_memory_allowed(), some = all / 2;
    tap_ok(&t, all >= 1 << 20, "there is memory: %llu bytes by %s", (unsigned long long)all, ws_memory_limit());
    struct rlimit was;
    tap_ok(&t, !getrlimit(RLIMIT_AS, &was) && !setrlimit(RLIMIT_AS, &(struct rlimit){some, was.rlim_max}) &&
                   ws_memory_allowed() == some && strstr(ws_memory_limit(), "address space"),
           "and half of it with ulimit -v");
    setrlimit(RLIMIT_AS, &was); /* a sanitizer that looks for leaks at the end needs more */
    return tap_end(&t);
}
