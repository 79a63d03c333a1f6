# warpsieve. INSTALL says what is needed; `make help` lists the targets.
#
# Nothing is listed by name: bin/X.c is the executable bin/X, lib/*/ and kernels/*/ go into one static library, and every
# tests/lib/*.c and kernels/*/test.c is a test program.
# CC CFLAGS CPPFLAGS LDFLAGS LDLIBS PREFIX DESTDIR belong to whoever builds; flags that results depend on are in WS_CFLAGS.

CFLAGS    ?= -O3 -g
PREFIX    ?= /usr/local
BINDIR    ?= $(PREFIX)/bin
MANDIR    ?= $(PREFIX)/share/man
BASHDIR   ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR    ?= $(PREFIX)/share/zsh/site-functions
FISHDIR   ?= $(PREFIX)/share/fish/vendor_completions.d
INSTALL   ?= install

WARN      := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef -Wformat=2 -Wwrite-strings
WS_CFLAGS := -std=c11 -D_GNU_SOURCE -ffp-contract=off '-ffile-prefix-map=$(CURDIR)=.' -pthread -I. $(WARN)
WS_LIBS   := -lxxhash -lz -lpthread -lm
B         ?= build

# CUDA=0 leaves the device out; SMS are the compute capabilities to compile for, the last one also as PTX.
NVCC      ?= $(firstword $(wildcard $(shell command -v nvcc) /usr/local/cuda/bin/nvcc))
CUDA      ?= $(if $(NVCC),1,0)
SMS       ?= 90
CUDA_LIB  ?= $(patsubst %/bin/nvcc,%/lib64,$(NVCC))
WS_NVCCFLAGS := -std=c++17 --fmad=false -I. -DWS_CUDA_SMS='"$(SMS)"' -Xcompiler -Wall,-Wextra,-fPIC \
             $(foreach s,$(SMS),-gencode arch=compute_$(s),code=sm_$(s)) \
             -gencode arch=compute_$(lastword $(SMS)),code=compute_$(lastword $(SMS))
NVCCFLAGS ?= -O3

SRC       := $(sort $(filter-out %/test.c %/bench.c,$(wildcard lib/*/*.c kernels/*/*.c)))
# Vector units of other processors have no code, so builds for them have the scalar backends and CUDA.
ifeq ($(findstring x86_64,$(shell $(CC) -dumpmachine)),)
SRC       := $(filter-out %avx2.c %avx512.c,$(SRC))
endif
ifneq ($(CUDA),0)
SRC       := $(filter-out %_none.c,$(SRC))
CUSRC     := $(sort $(wildcard lib/*/*.cu kernels/*/*.cu))
WS_LIBS   := $(CUDA_LIB)/libcudart_static.a -lstdc++ -ldl -lrt $(WS_LIBS)
endif
LIB       := $B/libwarpsieve.a
TOOLS     := $(patsubst bin/%.c,%,$(wildcard bin/*.c))
UNITS     := $(patsubst %.c,$B/%,$(wildcard tests/lib/*.c kernels/*/test.c))
FUZZERS   := $(patsubst %.c,$B/%,$(filter-out %/main.c,$(wildcard tests/fuzz/*.c)))
UNITS     += $(FUZZERS)
FUZZ_MAIN ?= $B/tests/fuzz/main.o
BENCHES   := $(patsubst %.c,$B/%,$(wildcard bench/*.c kernels/*/bench.c))
PAGES     := $(wildcard man/*.[1-8])
VERSION   := $(shell sed -n 's/.*define WS_VERSION "\(.*\)"/\1/p' lib/base/ws.h)
export TOOLS

all: $(TOOLS:%=bin/%) ## build the executables into bin/

# Vector variants are chosen at run time, so only their own files may use the wide instructions.
$B/%avx2.o:   ISA := -mavx2 -mfma -mbmi2
$B/%avx512.o: ISA := -mavx512f -mavx512bw -mavx512vl -mavx512dq -mfma -mbmi2

$B/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(WS_CFLAGS) $(CFLAGS) $(ISA) -MMD -MP -c -o $@ $<

$B/%.o: %.cu
	@mkdir -p $(@D)
	@mkdir -p $(@:.o=.tmp)
	$(NVCC) $(WS_NVCCFLAGS) $(NVCCFLAGS) -keep -keep-dir $(@:.o=.tmp) -MMD -MP -MF $(@:.o=.d) -c -o $@ $<
	@rm -rf $(@:.o=.tmp)

# Remembers with or without CUDA, so that a change of mind makes the library anew.
$B/cuda.$(CUDA):
	@mkdir -p $(@D)
	@rm -f $B/cuda.*
	@touch $@

$(LIB): $(SRC:%.c=$B/%.o) $(CUSRC:%.cu=$B/%.o) $B/cuda.$(CUDA)
	@rm -f $@
	$(AR) rcs $@ $(filter %.o,$^)

bin/%: $B/bin/%.o $(LIB)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $< $(LIB) $(LDLIBS) $(WS_LIBS)

$(FUZZERS): %: %.o $(LIB) $(FUZZ_MAIN)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $< $(FUZZ_MAIN) $(LIB) $(LDLIBS) $(WS_LIBS)

$B/%: $B/%.o $(LIB)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $< $(LIB) $(LDLIBS) $(WS_LIBS)

# ---- tests ----

demo: all ## the main job on a small real example
	@sh tests/demo.sh

units: $(UNITS)

# The tools with a runtime of CUDA that fails on demand; with a fake device where there is none.
FAULTY := $(if $(filter-out 0,$(CUDA)),$(TOOLS:%=$B/fault/%))
export WARPSIEVE_FAULTY := $(if $(FAULTY),$(CURDIR)/$B/fault)
$(FAULTY): $B/fault/%: $B/bin/%.o $B/tests/fault/cuda.o $(LIB) tests/fault/cuda.wrap
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -Wl,@tests/fault/cuda.wrap -o $@ $(filter %.o,$^) $(LIB) $(LDLIBS) $(WS_LIBS)

# With sanitizers: a program that does what they report, so that tests/run.sh knows that it would see it, and the tools with the
# faults of the system, which a preload library cannot bring there.
SANITIZER := $(filter -fsanitize=%,$(CFLAGS))
CONTROL   := $(if $(SANITIZER),$B/tests/fault/report)
export WARPSIEVE_CONTROL := $(CONTROL) $(if $(findstring address,$(SANITIZER)),address leak) \
             $(if $(findstring undefined,$(SANITIZER)),undefined) $(if $(findstring thread,$(SANITIZER)),race)
SHIMMED   := $(if $(SANITIZER),$(TOOLS:%=$B/shimmed/%))
export WARPSIEVE_SHIMMED := $(if $(SHIMMED),$(CURDIR)/$B/shimmed)
$B/tests/fault/shim.o: override CPPFLAGS += -DWS_FAULT_LINKED
$(SHIMMED): $B/shimmed/%: $B/bin/%.o $B/tests/fault/shim.o $(LIB) tests/fault/shim.wrap
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -Wl,@tests/fault/shim.wrap -o $@ $(filter %.o,$^) $(LIB) $(LDLIBS) $(WS_LIBS)

check: all units $(FAULTY) $(CONTROL) $(SHIMMED) check-style ## every test that takes less than ten minutes together
	@sh tests/run.sh quick $(UNITS)

check-full: all units $(FAULTY) $(CONTROL) $(SHIMMED) check-style ## check, and the long rest: all golden data, whole proteomes
	@sh tests/run.sh full $(UNITS)

# Without a device its tests are shown as skipped; WARPSIEVE_REQUIRE_GPU=1 makes that a failure.
gpu-check: all $(FAULTY) $(patsubst %.c,$B/%,$(wildcard tests/gpu/*.c)) $B/tests/lib/golden ## the tests of the CUDA backends, on a machine with a device
	@sh tests/gpu/run.sh $B

# Each parser for FUZZ_SECONDS, with clang's libFuzzer; `make check` only replays seeds and found cases.
FUZZ_SECONDS ?= 600
FUZZ_FLAGS   := -fsanitize=address,undefined -fno-sanitize-recover=undefined
fuzz: ## every parser with libFuzzer for FUZZ_SECONDS each (needs clang)
	$(MAKE) B=build/fuzz CUDA=0 CC=clang FUZZ_MAIN= CFLAGS='-O1 -g $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link' LDFLAGS=-fsanitize=fuzzer fuzzers
	sh tests/fuzz/run.sh build/fuzz $(FUZZ_SECONDS)

fuzzers: $(FUZZERS)

fuzz-afl: build/afl ## whole executables with AFL++ for FUZZ_SECONDS per kind of input
	$(MAKE) -C build/afl.tree CC=afl-clang-fast CUDA=0 CFLAGS='-O2 -g' all
	sh tests/fuzz/afl.sh build/afl.tree/bin build/afl.out $(FUZZ_SECONDS)

# Other compilers and the sanitizers in copies of the tree, because objects must not mix.
ASAN_CFLAGS := -O1 -g -fno-omit-frame-pointer $(FUZZ_FLAGS)
TSAN_CFLAGS := -O1 -g -fsanitize=thread
# Ten times slower, so: fewer places of faults, and less of what takes most of the time (slow in the tests).
SLOW        := WARPSIEVE_SLOW=1 WARPSIEVE_FAULT_EVERY=$(or $(WARPSIEVE_FAULT_EVERY),5)
COPY_TREE = mkdir -p $@.tree && git ls-files | while read -r f; do cmp -s "$$f" "$@.tree/$$f" || cp --parents "$$f" $@.tree; done
build/afl build/asan build/tsan build/clang build/clang-asan:
	@mkdir -p $(@D)
	$(COPY_TREE)

asan: build/asan ## make check under the address and undefined behaviour sanitizers
	$(MAKE) -C build/asan.tree CUDA=0 $(SLOW) CFLAGS='$(ASAN_CFLAGS)' check

clang: build/clang ## make check with clang
	$(MAKE) -C build/clang.tree CUDA=0 CC=clang check

clang-asan: build/clang-asan ## make check with clang under the same sanitizers
	$(MAKE) -C build/clang-asan.tree CUDA=0 $(SLOW) CC=clang CFLAGS='$(ASAN_CFLAGS)' check

tsan: build/tsan ## make check under the thread sanitizer, without the programs that have one thread
	$(MAKE) -C build/tsan.tree CUDA=0 $(SLOW) CFLAGS='$(TSAN_CFLAGS)' UNITS='$(patsubst %.c,build/%,$(wildcard tests/lib/*.c))' check

THRASH_ROUNDS ?= 300
tsan-thrash: build/tsan ## the pipeline under random loads with the thread sanitizer
	$(MAKE) -C build/tsan.tree CUDA=0 CFLAGS='$(TSAN_CFLAGS)' THRASH_ROUNDS=$(THRASH_ROUNDS) thrash

thrash: all ## batch sizes x threads x backends x slow and bursty producers and consumers
	sh tests/thrash.sh $(THRASH_ROUNDS)

load: all ## a billion residues, 10 million empty records, long names and sequences, many models
	@for job in 'residues 100000000' 'residues 1000000000' 'long 100000000' 'empty 10000000' 'names 1000000' \
	    'models 50000 tests/data/globins4.hmm'; do PATH="$(CURDIR)/bin:$$PATH" python3 tests/load.py $$job || exit 1; done

.PHONY: fuzz fuzz-afl fuzzers asan clang clang-asan tsan tsan-thrash thrash load \
        build/afl build/asan build/tsan build/clang build/clang-asan

check-style: $(LIB) ## include directions, file sizes, symbol names
	@sh tests/style.sh

bench: all $(BENCHES) ## the benchmark programs, into build/bench

# ---- installation ----

completions: all
	@mkdir -p $B/completions
	@for t in $(TOOLS); do for s in bash zsh fish; do \
	    sh completions/gen.sh $$s $$t > $B/completions/$$t.$$s || exit 1; done; done

FOLDERS := $(sort $(BINDIR) $(BASHDIR) $(ZSHDIR) $(FISHDIR) $(foreach p,$(PAGES),$(MANDIR)/man$(subst .,,$(suffix $p))))

# The shell would take a name with a blank for two: files would go, and be removed, where nobody named anything.
ONE_WORD = $(if $(word 2,x$(DESTDIR)$(PREFIX)),$(error DESTDIR and PREFIX must be without blanks, found "$(DESTDIR)$(PREFIX)"))

# Remembers in $B/folders which folders were not there, so that uninstall can take these back and no others.
install: all completions ## into DESTDIR/PREFIX
	$(ONE_WORD)
	@for d in $(FOLDERS:%=$(DESTDIR)%); do while [ ! -d "$$d" ]; do echo "$$d"; d=$$(dirname "$$d"); done; done >> $B/folders
	$(INSTALL) -d $(FOLDERS:%=$(DESTDIR)%)
	$(INSTALL) -m 755 $(TOOLS:%=bin/%) $(DESTDIR)$(BINDIR)
	for p in $(PAGES); do $(INSTALL) -m 644 $$p $(DESTDIR)$(MANDIR)/man$${p##*.}/$${p##*/} || exit 1; done
	for t in $(TOOLS); do \
	    $(INSTALL) -m 644 $B/completions/$$t.bash $(DESTDIR)$(BASHDIR)/$$t && \
	    $(INSTALL) -m 644 $B/completions/$$t.zsh $(DESTDIR)$(ZSHDIR)/_$$t && \
	    $(INSTALL) -m 644 $B/completions/$$t.fish $(DESTDIR)$(FISHDIR)/$$t.fish || exit 1; done

uninstall: ## what install put there
	$(ONE_WORD)
	for t in $(TOOLS); do rm -f $(DESTDIR)$(BINDIR)/$$t $(DESTDIR)$(BASHDIR)/$$t $(DESTDIR)$(ZSHDIR)/_$$t $(DESTDIR)$(FISHDIR)/$$t.fish; done
	for p in $(PAGES); do rm -f $(DESTDIR)$(MANDIR)/man$${p##*.}/$${p##*/}; done
	@[ ! -f $B/folders ] || sort -ru $B/folders | while read -r d; do rmdir "$$d" 2>/dev/null || :; done
	@rm -f $B/folders

installcheck: ## the tests against what install put there; DESTDIR and PREFIX as for install
	@sh tests/installcheck.sh $(DESTDIR)$(BINDIR) $(DESTDIR)$(MANDIR) $(DESTDIR)$(BASHDIR) $(DESTDIR)$(ZSHDIR) $(DESTDIR)$(FISHDIR)

dist: ## the committed sources as build/warpsieve-VERSION.tar.gz, the same bytes for the same commit
	@mkdir -p $B
	git archive --format=tar --prefix=warpsieve-$(VERSION)/ HEAD | gzip -9n > $B/warpsieve-$(VERSION).tar.gz

cleanroot: ## as root: what INSTALL says in a bare Debian, from make dist to uninstall
	sh tests/cleanroot.sh

debroot: ## as root: the Debian package built, installed, tested and purged in bare roots
	sh tests/debroot.sh

plots: ## bench/plots from the tables recorded in bench/
	python3 bench/report.py bench

clean: ## remove everything that was built
	rm -rf $B $(TOOLS:%=bin/%)

help:
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' Makefile | expand -t 16

-include $(shell find $B -name '*.d' 2>/dev/null)
.PHONY: all demo units check check-full gpu-check check-style bench completions install uninstall installcheck dist cleanroot debroot plots clean help
.SECONDARY:
