# warpsieve. INSTALL says what is needed; `make help` lists the targets.
#
# Tools are found, not listed: bin/X.c is the executable bin/X, kernels/*/ and lib/*/ go into one static library.
# CC CFLAGS CPPFLAGS LDFLAGS LDLIBS PREFIX DESTDIR belong to whoever builds; flags that results depend on are in WS_CFLAGS.

CFLAGS   ?= -O3 -g
WARN     := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef -Wformat=2 -Wwrite-strings
WS_CFLAGS := -std=c11 -D_GNU_SOURCE -ffp-contract=off -pthread -I. $(WARN)
WS_LIBS  := -lxxhash -lz -lpthread -lm
B        := build

SRC      := $(filter-out %/test.c %/bench.c,$(wildcard lib/*/*.c kernels/*/*.c))
OBJ      := $(SRC:%.c=$B/%.o)
LIB      := $B/libwarpsieve.a
TOOLS    := $(patsubst bin/%.c,bin/%,$(wildcard bin/*.c))
UNITS    := $(patsubst %.c,$B/%,$(wildcard tests/lib/*.c kernels/*/test.c))

all: $(TOOLS)

# Vector variants are chosen at run time, so only their own files may use the wide instructions.
$B/%avx2.o:   ISA := -mavx2 -mfma -mbmi2
$B/%avx512.o: ISA := -mavx512f -mavx512bw -mavx512vl -mavx512dq -mfma -mbmi2

$B/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(WS_CFLAGS) $(CFLAGS) $(ISA) -MMD -MP -c -o $@ $<

$(LIB): $(OBJ)
	@rm -f $@
	$(AR) rcs $@ $^

bin/%: $B/bin/%.o $(LIB)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $< $(LIB) $(LDLIBS) $(WS_LIBS)

$B/%: $B/%.o $(LIB)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $< $(LIB) $(LDLIBS) $(WS_LIBS)

units: $(UNITS)

clean:
	rm -rf $B $(TOOLS)

-include $(shell find $B -name '*.d' 2>/dev/null)
.PHONY: all units clean
.SECONDARY:
