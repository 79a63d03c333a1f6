# warpsieve. INSTALL says what is needed; `make help` lists the targets.
#
# Nothing is listed by name: a tool table in bin/THEME/X.c makes the executable bin/X, of bin/main.c and one static library of lib/*/, kernels/*/
# and bin/*/. Every tests/lib/*.c and kernels/*/test.c is a test program.
# CC CFLAGS CPPFLAGS LDFLAGS LDLIBS PREFIX DESTDIR belong to the user; flags that results depend on are in WS_CFLAGS.

# On all cores, unless the user says -j, or a goal takes away what another one needs. Tests show what they do at once, so only builds
# have their output put in order.
ifeq ($(MAKELEVEL)$(filter -j% --jobserver%,$(MAKEFLAGS))$(filter clean uninstall installcheck,$(MAKECMDGOALS)),0)
MAKEFLAGS += -j$(shell getconf _NPROCESSORS_ONLN) $(if $(filter-out all demo install shared units man bench,$(MAKECMDGOALS)),,-Otarget)
endif

CFLAGS    ?= -O3 -g
PREFIX    ?= /usr/local
BINDIR    ?= $(PREFIX)/bin
MANDIR    ?= $(PREFIX)/share/man
BASHDIR   ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR    ?= $(PREFIX)/share/zsh/site-functions
FISHDIR   ?= $(PREFIX)/share/fish/vendor_completions.d
DOCDIR    ?= $(PREFIX)/share/doc/warpsieve
INSTALL   ?= install

WARN      := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef -Wformat=2 -Wwrite-strings
# The objects go into the executables and into the shared object, which shows others bin/library.h alone.
WS_CFLAGS := -std=c11 -fPIC -fvisibility=hidden -D_GNU_SOURCE -ffp-contract=off '-ffile-prefix-map=$(CURDIR)=.' -pthread -I. $(WARN)
# HARD makes a defect harder to abuse, as far as compiler and linker can, and without cost (docs/reliability.md). Sanitizers and builds
# without optimization do better without; a packager's own _FORTIFY_SOURCE holds.
HARD_CC   := -fstack-protector-strong -fcf-protection $(if $(findstring _FORTIFY_SOURCE,$(CPPFLAGS) $(CFLAGS)),,-D_FORTIFY_SOURCE=2)
RELRO     := -Wl,-z,relro,-z,now
KNOWN      = $(shell echo 'int main(void) { return 0; }' | $(CC) $1 -O1 -Werror -x c -o /dev/null - 2>/dev/null && echo '$1')
ifeq ($(filter -fsanitize=% -O0,$(CFLAGS)),)
HARD      := $(foreach f,$(HARD_CC),$(call KNOWN,$f))
HARD_LD   := $(call KNOWN,$(RELRO))
endif
WS_LIBS   := -lxxhash -lz -lpthread -lm
B         ?= build

# Libraries that a build does without: ZSTD=0 and ISAL=0 leave them out. make takes one if a program with its header links.
LINKS_WITH = $(shell echo 'int main(void) { return 0; }' | $(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -include $1 -x c -o /dev/null - $2 2>/dev/null \
                 && echo 1 || echo 0)
ZSTD      ?= $(call LINKS_WITH,zstd.h,-lzstd)
ISAL      ?= $(call LINKS_WITH,isa-l.h,-lisal)
ZSTD      := $(ZSTD)
ISAL      := $(ISAL)

# STATIC=1 asks for the executable that hmmsieve --hmmer-path=DIR copies, which needs no library: so all of these must be there as
# archives. It goes without ISA-L, of which few systems have one.
STATIC_LIBS := $(if $(filter-out 0,$(ZSTD)),-lzstd) $(WS_LIBS)
STATIC    ?= $(call LINKS_WITH,zlib.h,-static $(STATIC_LIBS))
STATIC    := $(STATIC)
NAMED     := $(if $(filter-out 0,$(STATIC)),libexec/warpsieve/names)
WS_LIBS   := $(if $(filter-out 0,$(ZSTD)),-lzstd) $(if $(filter-out 0,$(ISAL)),-lisal) $(WS_LIBS)

# CUDA=0 leaves the device out. Without CUDA= a first build has it where a device answers, and later ones do as the first did. SMS are the compute capabilities to compile for, PTX is the one that other devices are served from.
# Without SMS= make uses the list stored in $B, since make install may run where no device is. The first time
# packaging/sms.sh looks for devices.
NVCC      ?= $(firstword $(wildcard $(shell command -v nvcc) /usr/local/cuda/bin/nvcc))
ANSWERS    = $(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | grep -q '^[0-9]' && echo 1)
ifeq ($(origin CUDA),undefined)
CUDA      := $(if $(NVCC),$(or $(file <$B/CUDA.is),$(ANSWERS),none answers),0)
LEFT_OUT  := $(if $(filter none,$(CUDA)),no GPU answers: this build has no CUDA; "make CUDA=1" adds it; with "SMS=90" for compute capability 9.0 alone)
CUDA      := $(if $(LEFT_OUT),0,$(CUDA))
endif
ifneq ($(CUDA),0)
ifeq ($(origin SMS),undefined)
FOUND     := $(if $(wildcard $B/SMS.is),$(file <$B/SMS.is) +$(file <$B/PTX.is),$(shell sh packaging/sms.sh $(NVCC)))
SMS       := $(filter-out +%,$(FOUND))
PTX       ?= $(patsubst +%,%,$(filter +%,$(FOUND)))
endif
PTX       ?= $(lastword $(SMS))
endif
CUDA_LIB  ?= $(patsubst %/bin/nvcc,%/lib64,$(NVCC))
WS_NVCCFLAGS := -std=c++17 --fmad=false -I. -DWS_CUDA_SMS='"$(SMS)"' -DWS_CUDA_PTX=$(PTX) -Xcompiler -Wall,-Wextra,-fPIC,-fvisibility=hidden \
             $(foreach s,$(SMS),-gencode arch=compute_$(s),code=sm_$(s)) -gencode arch=compute_$(PTX),code=compute_$(PTX)
NVCCFLAGS ?= -O3

SRC       := $(sort $(filter-out %/test.c %/bench.c,$(wildcard lib/*/*.c kernels/*/*.c bin/*/*.c)))
# Vector bodies, files that end in simd.c, are compiled once for each width that lib/simd/width.h has for this processor, into .WIDTH.o.
# A file that ends in _WIDTH.c is for that width alone.
WIDTHS    := $(shell echo 'WS_WIDTHS(NAMES)' | $(CC) -I. -include lib/simd/width.h -E -P '-DNAMES(width,...)=width' - | tail -1)
FOREIGN   := $(filter-out $(WIDTHS),$(patsubst lib/simd/v_%.h,%,$(wildcard lib/simd/v_*.h)))
BODIES    := $(filter %simd.c,$(SRC))
SRC       := $(filter-out $(BODIES) $(foreach w,$(FOREIGN),%_$w.c),$(SRC))
# NAME_none.c is for builds without what NAME.c needs.
OPTIONAL  := lib/compress/unzstd lib/compress/igzip
SRC       := $(filter-out lib/compress/unzstd$(if $(filter-out 0,$(ZSTD)),_none).c lib/compress/igzip$(if $(filter-out 0,$(ISAL)),_none).c,$(SRC))
ifneq ($(CUDA),0)
SRC       := $(filter-out $(filter-out $(OPTIONAL:%=%_none.c),$(filter %_none.c,$(SRC))),$(SRC))
CUSRC     := $(sort $(wildcard lib/*/*.cu kernels/*/*.cu kernels/*/device/*.cu))
# The objects of nvcc need three functions of the C++ library, and to load it takes as long as a program's start without it.
STDCXX    := -lstdc++
ifneq ($(findstring /,$(shell $(CC) -print-file-name=libstdc++.a)),)
STDCXX    := -Wl,-Bstatic -lstdc++ -Wl,-Bdynamic -static-libgcc
endif
WS_LIBS   := $(CUDA_LIB)/libcudart_static.a $(STDCXX) -ldl -lrt $(WS_LIBS)
endif
LIB       := $B/libwarpsieve.a
TOOLS     := $(basename $(notdir $(shell grep -l '^const ws_tool ws_' bin/*/*.c)))
UNITS     := $(patsubst %.c,$B/%,$(wildcard tests/lib/*.c kernels/*/test.c))
FUZZERS   := $(patsubst %.c,$B/%,$(filter-out %/main.c,$(wildcard tests/fuzz/*.c)))
UNITS     += $(FUZZERS)
FUZZ_MAIN ?= $B/tests/fuzz/main.o
BENCHES   := $(patsubst %.c,$B/%,$(wildcard bench/run/*.c kernels/*/bench.c))
PAGES     := $(patsubst %,$B/%,$(wildcard man/*.[1-8]))
VERSION   := $(shell sed -n 's/.*define WS_VERSION "\(.*\)"/\1/p' lib/base/ws.h)
# The commit for --version is the checkout's. Without a checkout it is the one that make dist wrote, or that an earlier make
# found (sudo make install).
COMMIT    := $(if $(wildcard .git),$(shell git describe --always --abbrev=12 --dirty=+ --exclude='*' 2>/dev/null))
COMMIT    := $(or $(COMMIT),$(shell grep -sv Format packaging/commit | cut -c1-12),$(file <$B/COMMIT.is),unknown)
export TOOLS

# The program of Python, and what of the module it needs.
SCRIPTS   := warpsieve-msa
MODULE    := packaging/python/warpsieve/__init__.py $(wildcard packaging/python/warpsieve/msa/*.py)

all: $(TOOLS:%=bin/%) $(SCRIPTS:%=bin/%) $(PAGES) libexec/warpsieve/hmmer $(NAMED) ## build the executables into bin/
	@$(if $(findstring s,$(firstword -$(MAKEFLAGS)))$(filter-out all,$(or $(MAKECMDGOALS),all)),:,echo 'The programs are in bin. make demo tries them, make install installs them.')

# The names of HMMER's programs, and of PaPaRa: links NAME=PROGRAM. Installed, they lie beside BINDIR, where no PATH looks by itself:
# hmmsieve --hmmer-path prints the folder.
LINKS     := hmmsearch=hmmsieve hmmscan=hmmsieve nhmmer=nhmmsieve nhmmscan=nhmmsieve hmmalign=hmmfit hmmbuild=hmmcast phmmer=seqsieve jackhmmer=jacksieve hmmpress=hmmindex hmmfetch=hmmpick papara=papara-score
NAMES     := $(foreach l,$(LINKS),$(firstword $(subst =, ,$l)))
HMMERDIR   = $(patsubst %/,%,$(dir $(BINDIR)))/libexec/warpsieve/hmmer
LINK_ALL   = for l in $(LINKS); do ln -sf ../../../$1/$${l\#*=} $2/$${l%%=*} || exit 1; done
libexec/warpsieve/hmmer: Makefile
	@mkdir -p $@
	@$(call LINK_ALL,bin,$@)
	@touch $@

# The same programs as one static executable, without devices and ISA-L: it takes the *_none.c in their place.
NAMERS    := $(sort $(foreach l,$(LINKS),$(lastword $(subst =, ,$l))))
WITHOUT   := $(patsubst %.c,$B/%.o,$(filter-out $(if $(filter-out 0,$(ZSTD)),lib/compress/unzstd_none.c),$(wildcard lib/*/*_none.c kernels/*/*_none.c)))
# LDLIBS of a program that is not static may name what no static one can have
STATIC_LDLIBS ?= $(LDLIBS)
$B/main/names.o: bin/names.c
	$(COMPILE)
$B/main/names.o: override CPPFLAGS += '-DWS_TOOLS(X)=$(foreach t,$(NAMERS),X(ws_$(subst -,_,$t)_tool))'
libexec/warpsieve/names: $B/main/names.o $(WITHOUT) $(LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(HARD_LD) $(LDFLAGS) -static -s -o $@ $< $(WITHOUT) $(LIB) $(STATIC_LDLIBS) $(STATIC_LIBS)

# Widths are chosen at run time, so only their own objects may use the wide instructions.
ISA_avx2   := -mavx2 -mfma -mbmi2
ISA_avx512 := -mavx512f -mavx512bw -mavx512vl -mavx512dq -mfma -mbmi2
ISA_neon   :=

# clang 14 takes more than eight minutes for the largest vector body with checks of signed overflow, 35 seconds with all others; make asan has them.
UNCHECKED := $(if $(and $(findstring clang,$(CC)),$(findstring undefined,$(CFLAGS))),-fno-sanitize=signed-integer-overflow)

define COMPILE
@mkdir -p $(@D)
$(CC) $(HARD) $(CPPFLAGS) $(WS_CFLAGS) $(CFLAGS) $(ISA) -MMD -MP -c -o $@ $<
endef

$B/%.o: %.c
	$(COMPILE)

define WIDTH
$B/%_$1.o: ISA := $(ISA_$1)
$B/%.$1.o: ISA := $(ISA_$1) -DV_WIDTH=$1 '-DV_HEADER="lib/simd/v_$1.h"' $(UNCHECKED)
$B/%.$1.o: %.c
	$$(COMPILE)
endef
$(foreach w,$(WIDTHS),$(eval $(call WIDTH,$w)))

# The runtime is told of kernels once a device is wanted (lib/dev/device_cuda.cu), not by constructors at every start.
OBJCOPY   ?= $(shell $(CC) -print-prog-name=objcopy)
NM        ?= $(shell $(CC) -print-prog-name=nm)
TELL_LATE  = if $(NM) $@ | grep _GLOBAL__sub_I; then echo "$<: a variable that begins as no constant would be set late" >&2; rm -f $@; exit 1; fi; \
             $(OBJCOPY) --rename-section .init_array=ws_kernels $@ || { rm -f $@; exit 1; }
# A function of a device with internal linkage that is called, not inlined, has a hash of the folder in its name.
SAME_NAMES = if grep -l _INTERNAL_ $(@:.o=.tmp)/*.ptx; then echo "$<: a static function has the folder in its name" >&2; rm -f $@; exit 1; fi
# The domain stage has no subnormal numbers (lib/simd/flush.h).
$B/kernels/dom/%.o $B/tests/fault/dom.o: WS_NVCCFLAGS += -ftz=true
$B/%.o: %.cu
	@mkdir -p $(@D)
	@mkdir -p $(@:.o=.tmp)
	$(NVCC) $(WS_NVCCFLAGS) $(NVCCFLAGS) -keep -keep-dir $(@:.o=.tmp) -MMD -MP -MF $(@:.o=.d) -c -o $@ $<
	$(if $(filter $B/tests/%,$@),,@$(TELL_LATE))
	$(if $(filter $B/tests/%,$@),,@$(SAME_NAMES))
	@rm -rf $(@:.o=.tmp)

# A file that holds a variable's value, and is new only if the value is: what depends on it is made anew after a change of mind.
$B/%.is: FORCE
	@mkdir -p $(@D)
	@[ "$$(cat $@ 2>/dev/null)" = '$($*)' ] || echo '$($*)' >$@
$(CUSRC:%.cu=$B/%.o): $B/SMS.is $B/PTX.is
$B/lib/run/main.o: $B/COMMIT.is
$B/lib/run/main.o: override CPPFLAGS += -DWS_COMMIT='"$(COMMIT)"'

OBJECTS   := $(SRC:%.c=$B/%.o) $(foreach w,$(WIDTHS),$(BODIES:%.c=$B/%.$w.o)) $(CUSRC:%.cu=$B/%.o)
$(LIB): $(OBJECTS) $B/CUDA.is $B/ZSTD.is $B/ISAL.is
	@rm -f $@
	$(AR) rcs $@ $(filter %.o,$^)
	$(if $(LEFT_OUT),@echo '$(LEFT_OUT)')

$(TOOLS:%=$B/main/%.o): $B/main/%.o: bin/main.c
	$(COMPILE)
$B/main/%.o: override CPPFLAGS += -DWS_TOOL=ws_$(subst -,_,$*)_tool

# A program is the objects that it depends on, and what it needs of the library. WRAP: of tests, functions in whose place theirs come.
define LINK
@mkdir -p $(@D)
$(CC) $(CFLAGS) $(HARD_LD) $(LDFLAGS) $(WRAP) -o $@ $(filter %.o,$^) $(LIB) $(LDLIBS) $(WS_LIBS)
endef
bin/%: $B/main/%.o $(LIB)
	$(LINK)
$(TOOLS:%=$B/bin/%): $B/bin/%: $B/main/%.o $(LIB)
	$(LINK)

# All programs as one shared object, for the Python module and for executables that hold nothing else: the wheel has each
# kernel once. The executables look for it beside their folder.
SHARED_LIB := $B/shared/lib/warpsieve/libwarpsieve.so
SHARED    ?= 0
shared: $(SHARED_LIB) $(TOOLS:%=$B/shared/bin/%) ## all programs as one shared object, in build/shared
$B/main/library.o: bin/library.c
	$(COMPILE)
$B/main/library.o: override CPPFLAGS += '-DWS_TOOLS(X)=$(foreach t,$(TOOLS),X(ws_$(subst -,_,$t)_tool))'
$(SHARED_LIB): $B/main/library.o $(LIB) bin/library.map
	@mkdir -p $(@D)
	$(CC) -shared $(CFLAGS) $(HARD_LD) -Wl,-soname,libwarpsieve.so -Wl,--version-script=bin/library.map $(LDFLAGS) -o $@ $< $(LIB) $(LDLIBS) $(WS_LIBS)
$(TOOLS:%=$B/launch/%.o): $B/launch/%.o: bin/launch.c
	$(COMPILE)
$B/launch/%.o: override CPPFLAGS += -DWS_PROGRAM='"$*"'
.PHONY: shared
$(TOOLS:%=$B/shared/bin/%): $B/shared/bin/%: $B/launch/%.o $(SHARED_LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(HARD_LD) -Wl,-rpath,'$$ORIGIN/../lib/warpsieve' $(LDFLAGS) -o $@ $^

# pair-HMM for callers: a library of C, and GKL's two libraries with a jar that holds them, from which an unchanged GATK takes them.
# They go where this build's other libraries are not, so they hold no device and xxHash where it is there as an archive.
GKL_DIR   := $B/gkl
GKL_LIBS  := $(GKL_DIR)/libws_pairhmm.so $(GKL_DIR)/libgkl_pairhmm.so $(GKL_DIR)/libgkl_pairhmm_omp.so
GKL_JAR   := $(GKL_DIR)/warpsieve-gkl.jar
GKL_WITHOUT = $(filter %/pairhmm/cuda_none.o %/dev/device_none.o,$(WITHOUT))
GKL_STATIC := -Wl,-Bstatic -lxxhash -Wl,-Bdynamic
GKL_XXHASH = $(if $(filter 1,$(call LINKS_WITH,xxhash.h,-shared -fPIC $(GKL_STATIC))),$(GKL_STATIC),-lxxhash)
GKL       ?= 0
gkl: $(GKL_LIBS) $(GKL_JAR) ## pair-HMM as libraries for GATK and for C, in build/gkl (needs python3)
$B/main/gkl.o $B/main/gkl_omp.o: bin/gkl.c
	$(COMPILE)
$B/main/gkl.o: override CPPFLAGS += -DWS_GKL_THREADS=0
$B/main/gkl_omp.o: override CPPFLAGS += -DWS_GKL_THREADS=1
$(GKL_DIR)/libws_pairhmm.so: $B/bin/gkl/caller.o
$(GKL_DIR)/libgkl_pairhmm.so: $B/main/gkl.o
$(GKL_DIR)/libgkl_pairhmm_omp.so: $B/main/gkl_omp.o
$(GKL_LIBS): $(LIB) $(WITHOUT) bin/gkl.map
	@mkdir -p $(@D)
	$(CC) -shared $(CFLAGS) $(HARD_LD) -Wl,-soname,$(@F) -Wl,--version-script=bin/gkl.map -Wl,--exclude-libs,ALL -s $(LDFLAGS) -o $@ \
	    $(filter $B/bin/gkl/caller.o $B/main/%.o,$^) $(GKL_WITHOUT) $(LIB) $(LDLIBS) $(GKL_XXHASH) -lpthread -lm
$(GKL_JAR): packaging/jar.py $(GKL_LIBS)
	python3 packaging/jar.py $@ com/intel/gkl/native $(filter %pairhmm.so %omp.so,$(filter-out %/libws_pairhmm.so,$^))
.PHONY: gkl

$(FUZZERS): %: %.o $(LIB) $(FUZZ_MAIN)
	$(LINK)

VECTORS   := $(foreach w,$(WIDTHS),$B/tests/simd/vectors.$w.o)
$B/tests/lib/vectors: $B/tests/lib/vectors.o $(VECTORS) $(LIB)
	$(LINK)

$B/%: $B/%.o $(LIB)
	$(LINK)

# A page's lines ".so man/common/NAME.mdoc" become that file: what several pages share is written once.
$B/man/%: man/% man/include.awk $(wildcard man/common/*.mdoc)
	@mkdir -p $(@D)
	@awk -f man/include.awk $< > $@.tmp && mv $@.tmp $@

$(SCRIPTS:%=bin/%): bin/%: packaging/python/%
	@$(INSTALL) -m 755 $< $@

man: $(PAGES) ## the manual pages, into build/man: man build/man/msvfilt.1

# ---- tests ----

demo: all ## the main job on a small real example
	@sh tests/demo.sh

units: $(UNITS)

# The tools with a runtime of CUDA that fails on demand; with a fake device where there is none.
FAULTED := $(TOOLS:%=$B/fault/%)
FAULTY := $(if $(filter-out 0,$(CUDA)),$(FAULTED) $B/fault/dom)
FAKES     := $(patsubst %,$B/tests/fault/%.o,cuda dom vit)
export WARPSIEVE_FAULTY := $(if $(FAULTY),$(CURDIR)/$B/fault)
$(FAULTED) $B/fault/dom: WRAP := -Wl,@tests/fault/cuda.wrap
$(FAULTED): $B/fault/%: $B/main/%.o $(FAKES) $(LIB) tests/fault/cuda.wrap
	$(LINK)

# The domain stage on a fake device, whose kernels the processor runs.
$B/fault/dom: $B/tests/gpu/dom.o $(FAKES) $(LIB) tests/fault/cuda.wrap
	$(LINK)

# With sanitizers: a program that does what they report, so that tests/run.sh knows that it would see it, and the tools with the
# faults of the system, which a preload library cannot bring there.
SANITIZER := $(filter -fsanitize=%,$(CFLAGS))
CONTROL   := $(if $(SANITIZER),$B/tests/fault/report)
export WARPSIEVE_CONTROL := $(CONTROL) $(if $(findstring address,$(SANITIZER)),address leak) \
             $(if $(findstring undefined,$(SANITIZER)),undefined) $(if $(findstring thread,$(SANITIZER)),race)
SHIMMED   := $(if $(SANITIZER),$(TOOLS:%=$B/shimmed/%))
export WARPSIEVE_SHIMMED := $(if $(SHIMMED),$(CURDIR)/$B/shimmed)
$B/tests/fault/shim.o: override CPPFLAGS += -DWS_FAULT_LINKED
$(SHIMMED): WRAP := -Wl,@tests/fault/shim.wrap
$(SHIMMED): $B/shimmed/%: $B/main/%.o $B/tests/fault/shim.o $(LIB) tests/fault/shim.wrap
	$(LINK)

check: all shared gkl units $(FAULTY) $(CONTROL) $(SHIMMED) check-style ## all tests but those that take long
	@sh tests/run.sh quick $(UNITS)

check-full: all shared gkl units $(FAULTY) $(CONTROL) $(SHIMMED) check-style ## check, and the long rest: all golden data, whole proteomes
	@sh tests/run.sh full $(UNITS)

# Debian: dpkg --add-architecture arm64; gcc-aarch64-linux-gnu zlib1g-dev:arm64 libxxhash-dev:arm64 qemu-user-static.
check-arm: all ## the programs for 64-bit ARM, cross-compiled, against golden data and those of this machine, in QEMU
	@WARPSIEVE_ARM=1 bats tests/arm.bats

check-macos: ## every source compiled as for macOS, where none of these programs was ever run; without objects
	@sh tests/macos.sh all

# T is a bats file, or a test program without build/; F is a regular expression for the names of tests in a bats file.
test: $(if $(filter %.bats,$T),all shared gkl $(FAULTY) $(SHIMMED),$(T:%=$B/%)) ## one file: make test T=tests/chain.bats
	@$(if $T,$(if $(filter %.bats,$T),bats $(if $F,-f '$F') $T,$B/$T),$(error say which: make test T=tests/chain.bats))

# The map is in tests/near.py.
near: all shared gkl $(FAULTY) $(SHIMMED) ## the tests nearest to a file: make near FILE=bin/search/filters.c
	@tests=$$(python3 tests/near.py $(or $(FILE),$(error say which: make near FILE=bin/search/filters.c))) || exit 1; \
	for t in $$tests; do \
	    echo "$$t"; \
	    case $$t in *.bats) bats $$t ;; *) $(MAKE) -s "$B/$${t#build/}" && "$B/$${t#build/}" ;; esac || bad=1; \
	done; [ -z "$$bad" ]

debug: ## the programs without optimization, for gdb, into build/debug/bin
	$(MAKE) B=build/debug CFLAGS='-O0 -g3' $(TOOLS:%=build/debug/bin/%)

# Without a device its tests are shown as skipped; WARPSIEVE_REQUIRE_GPU=1 makes that a failure.
gpu-check: all $(FAULTY) $(patsubst %.c,$B/%,$(wildcard tests/gpu/*.c)) $B/tests/lib/golden ## the tests of the CUDA backends, on a machine with a device; PARTS="scores faults ..." of tests/gpu/run.sh
	@sh tests/gpu/run.sh $B $(PARTS)

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
build/afl build/asan build/tsan build/clang build/clang-asan build/mutants:
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

# Before a release: the list of those that survive belongs into tests/README.md.
MUTANTS ?= 200
mutants: build/mutants ## MUTANTS one-line mutants of lib/, kernels/ and bin/ against the tests nearest to them, in a copy of the tree; from FIRST on, IN places
	$(MAKE) -C build/mutants.tree CUDA=0 all
	cd build/mutants.tree && python3 tests/mutants.py $(MUTANTS) $(or $(SEED),1) $(or $(FIRST),1) $(IN)

attack: all units $(FAULTY) ## damage, faults, signals, loads and sizes of every kind: a table of attacks, tries and failures (an hour on two cores; TRIES=30 does a tenth)
	sh tests/attack.sh $B $(TRIES)

load: all ## a billion residues, 10 million empty records, long names and sequences, many models; searches that are disturbed
	@for job in 'residues 100000000' 'residues 1000000000' 'long 100000000' 'empty 10000000' 'names 1000000' \
	    'models 50000 tests/data/globins4.hmm' 'searches 60'; do PATH="$(CURDIR)/bin:$$PATH" python3 tests/load.py $$job || exit 1; done

.PHONY: near fuzz fuzz-afl fuzzers asan clang clang-asan tsan tsan-thrash thrash load \
        mutants attack build/afl build/asan build/tsan build/clang build/clang-asan build/mutants

check-style: $(LIB) ## include directions, file sizes, symbol names
	@B='$B' OBJECTS='$(OBJECTS)' sh tests/style.sh

hook: ## git refuses commits with a breach of style from now on (tests/pre-commit.sh, tests/commit-msg.sh)
	@hooks=$$(git rev-parse --git-path hooks) || exit 1; \
	for h in pre-commit commit-msg; do to=$$hooks/$$h; \
	    if [ -e "$$to" ] && ! grep -q tests/$$h.sh "$$to"; then \
	        echo "make hook: $$to is there already: let it run tests/$$h.sh" >&2; exit 1; fi; done; \
	mkdir -p "$$hooks" && for h in pre-commit commit-msg; do to=$$hooks/$$h; \
	    printf '#!/bin/sh\n[ ! -f tests/%s.sh ] || exec sh tests/%s.sh "$$@"\n' $$h $$h > "$$to" && chmod +x "$$to" && \
	    echo "$$to runs tests/$$h.sh at each commit" || exit 1; done

bench: all $(BENCHES) ## the benchmark programs, into build/bench/run

# ---- installation ----

completions: all
	@mkdir -p $B/completions
	@for t in $(TOOLS); do for s in bash zsh fish; do \
	    sh completions/gen.sh $$s $$t > $B/completions/$$t.$$s || exit 1; done; done

# Laid out as here, so that links between them hold and a workflow finds what it includes. libwarpsieve.a is no part: it is private.
DOCS     = CITATION.cff $(patsubst ./%,%,$(shell find ./docs ./workflows -type f '(' ! -path '*/.*' -o -name .shed.yml ')' ! -path '*/__pycache__/*'))
PYDIR     = $(patsubst %/,%,$(dir $(BINDIR)))/share/warpsieve/python
IN_MODULE = $(MODULE:packaging/python/%=%)
FOLDERS  = $(sort $(BINDIR) $(patsubst %/,$(PYDIR)/%,$(dir $(IN_MODULE))) $(if $(OVER)$(WITH_GKL),$(LIBDIR)) $(if $(WITH_GKL),$(INCLUDEDIR)) $(HMMERDIR) $(BASHDIR) $(ZSHDIR) $(FISHDIR) $(foreach p,$(PAGES),$(MANDIR)/man$(subst .,,$(suffix $p))) \
             $(patsubst %/.,%,$(patsubst %/,%,$(addprefix $(DOCDIR)/,$(dir $(DOCS))))))

# The shell would take a name with a blank for two: files would go, and be removed, that the user did not name.
ONE_WORD = $(if $(word 2,x$(DESTDIR)$(PREFIX)),$(error DESTDIR and PREFIX must be without blanks, found "$(DESTDIR)$(PREFIX)"))

# With SHARED=1 it installs the programs over the shared object, and the Python module finds this. LIBDIR is where they look for it.
LIBDIR     = $(patsubst %/,%,$(dir $(BINDIR)))/lib/warpsieve
OVER      := $(filter-out 0,$(SHARED))

# With GKL=1 it also installs the libraries for callers and their header.
WITH_GKL  := $(filter-out 0,$(GKL))
INCLUDEDIR = $(patsubst %/,%,$(dir $(BINDIR)))/include

# Remembers in $B/folders which folders were not there, so that uninstall can take these back and no others.
install: all completions $(if $(OVER),shared) $(if $(WITH_GKL),gkl) ## into DESTDIR/PREFIX
	$(ONE_WORD)
	@for d in $(FOLDERS:%=$(DESTDIR)%); do while [ ! -d "$$d" ]; do echo "$$d"; d=$$(dirname "$$d"); done; done >> $B/folders
	$(INSTALL) -d $(FOLDERS:%=$(DESTDIR)%)
	$(INSTALL) -m 755 $(TOOLS:%=$(if $(OVER),$B/shared/)bin/%) $(DESTDIR)$(BINDIR)
	$(INSTALL) -m 755 $(SCRIPTS:%=packaging/python/%) $(DESTDIR)$(BINDIR)
	for f in $(IN_MODULE); do $(INSTALL) -m 644 packaging/python/$$f $(DESTDIR)$(PYDIR)/$$f || exit 1; done
	$(if $(OVER),$(INSTALL) -m 755 $(SHARED_LIB) $(DESTDIR)$(LIBDIR))
	$(if $(WITH_GKL),$(INSTALL) -m 755 $(GKL_LIBS) $(DESTDIR)$(LIBDIR))
	$(if $(WITH_GKL),$(INSTALL) -m 644 $(GKL_JAR) $(DESTDIR)$(LIBDIR))
	$(if $(WITH_GKL),$(INSTALL) -m 644 bin/gkl/ws_pairhmm.h $(DESTDIR)$(INCLUDEDIR))
	$(call LINK_ALL,$(notdir $(BINDIR)),$(DESTDIR)$(HMMERDIR))
	$(if $(NAMED),$(INSTALL) -m 755 $(NAMED) $(DESTDIR)$(dir $(HMMERDIR)))
	for d in $(DOCS); do $(INSTALL) -m 644 $$d $(DESTDIR)$(DOCDIR)/$$d || exit 1; done
	for p in $(PAGES); do $(INSTALL) -m 644 $$p $(DESTDIR)$(MANDIR)/man$${p##*.}/$${p##*/} || exit 1; done
	for t in $(TOOLS); do \
	    $(INSTALL) -m 644 $B/completions/$$t.bash $(DESTDIR)$(BASHDIR)/$$t && \
	    $(INSTALL) -m 644 $B/completions/$$t.zsh $(DESTDIR)$(ZSHDIR)/_$$t && \
	    $(INSTALL) -m 644 $B/completions/$$t.fish $(DESTDIR)$(FISHDIR)/$$t.fish || exit 1; done

uninstall: ## what install put there
	$(ONE_WORD)
	for t in $(TOOLS); do rm -f $(DESTDIR)$(BINDIR)/$$t $(DESTDIR)$(BASHDIR)/$$t $(DESTDIR)$(ZSHDIR)/_$$t $(DESTDIR)$(FISHDIR)/$$t.fish; done
	rm -f $(SCRIPTS:%=$(DESTDIR)$(BINDIR)/%) $(IN_MODULE:%=$(DESTDIR)$(PYDIR)/%)
	for d in $(sort $(dir $(IN_MODULE))); do rm -rf $(DESTDIR)$(PYDIR)/$${d}__pycache__; done
	rm -f $(NAMES:%=$(DESTDIR)$(HMMERDIR)/%) $(DESTDIR)$(dir $(HMMERDIR))names $(DESTDIR)$(LIBDIR)/libwarpsieve.so
	rm -f $(patsubst %,$(DESTDIR)$(LIBDIR)/%,$(notdir $(GKL_LIBS) $(GKL_JAR))) $(DESTDIR)$(INCLUDEDIR)/ws_pairhmm.h
	for p in $(PAGES); do rm -f $(DESTDIR)$(MANDIR)/man$${p##*.}/$${p##*/}; done
	for d in $(DOCS); do rm -f $(DESTDIR)$(DOCDIR)/$$d; done
	@[ ! -f $B/folders ] || sort -ru $B/folders | while read -r d; do rmdir "$$d" 2>/dev/null || :; done
	@rm -f $B/folders

installcheck: ## the tests against what install put there; DESTDIR and PREFIX as for install
	@sh tests/installcheck.sh $(DESTDIR)$(BINDIR) $(DESTDIR)$(MANDIR) $(DESTDIR)$(BASHDIR) $(DESTDIR)$(ZSHDIR) $(DESTDIR)$(FISHDIR) \
	    $(DESTDIR)$(DOCDIR)

dist: ## the committed sources as build/warpsieve-VERSION.tar.gz, the same bytes for the same commit
	@mkdir -p $B
	git archive --format=tar --prefix=warpsieve-$(VERSION)/ HEAD | gzip -9n > $B/warpsieve-$(VERSION).tar.gz

cleanroot: ## as root: what INSTALL says in a bare Debian, from make dist to uninstall
	sh tests/cleanroot.sh

debroot: ## as root: the Debian package built, installed, tested and purged in bare roots
	sh tests/debroot.sh

plots: ## pictures of the tables of kernels in bench/data, into build/plots (needs matplotlib)
	python3 bench/run/report.py bench/data $B/plots

bench-tables: ## the tables and the picture of README.md and bench/README.md, from bench/data/current-*.tsv
	python3 bench/run/tables.py README.md bench/README.md
	python3 bench/run/plot.py bench/sizes.svg

site: man ## a static site of all pages, into build/site (needs pandoc and mandoc); with the pictures of make plots where these are
	python3 packaging/site/site.py $B $B/site

clean: ## remove everything that was built
	rm -rf $B $(TOOLS:%=bin/%) $(SCRIPTS:%=bin/%) libexec

include packaging/release.mk

help:
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' Makefile packaging/release.mk | expand -t 16

# not those of copies of the tree
-include $(shell find $B \( -path $B/release -o -name '*.tree' \) -prune -o -type f -name '*.d' -print 2>/dev/null)
.PHONY: all man demo units check check-full check-arm check-macos test debug gpu-check check-style hook bench completions install uninstall installcheck dist cleanroot debroot plots bench-tables site clean help FORCE
.SECONDARY:
