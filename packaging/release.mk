# Makes the files of a release beside the sources (packaging/README.md): wheel, static programs, checksums. Included by the Makefile.

# The last one also as PTX.
RELEASE_SMS ?= $(shell sh packaging/sms.sh $(NVCC) release)
# Programs hold kernels for each of these devices, so nvcc compresses for size, which it can from CUDA 12.8 on: msvfilt for 9.0 has 2.3
# instead of 5.5 MB (bench/README.md).
RELEASE_NVCCFLAGS ?= -O3 $(if $(NVCC),$(shell $(NVCC) --help | grep -q -e --compress-mode && echo --compress-mode=size))
# Where the libraries come from that the portable programs are linked with; empty: this system.
MACHINE     := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
SYSROOT     ?= $B/sysroot-$(MACHINE)
ARCHIVE     := $B/warpsieve-$(VERSION).tar.gz

$B/sysroot-$(MACHINE):
	sh packaging/sysroot.sh $@.new $(MACHINE)
	mv $@.new $@

wheel: dist $(SYSROOT) ## a wheel of the programs for pip in build/release, from the committed sources, for older systems too
	+SYSROOT='$(SYSROOT)' SMS='$(RELEASE_SMS)' NVCCFLAGS='$(RELEASE_NVCCFLAGS)' sh packaging/stage.sh portable $(ARCHIVE) $B/release/portable
	python3 packaging/python/backend.py $B/release/portable $B/release

# Packed so that the same commit gives the same bytes: $(call packed,FOLDER OF stage.sh,NAME)
packed = tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@$$(cat $1/epoch) -C $1 -cf - warpsieve-$(VERSION) | \
             gzip -9n >$B/release/warpsieve-$(VERSION)-linux-$(MACHINE)-$2.tar.gz

static: dist ## programs that need no library, in one tarball in build/release
	+sh packaging/stage.sh static $(ARCHIVE) $B/release/static
	$(call packed,$B/release/static,static)

committed:
	@git diff --quiet HEAD || { echo "make release: there are changes that are not committed" >&2; exit 1; }

release: committed wheel static ## all that is handed out, and checksums, in build/release
	$(call packed,$B/release/portable,$(if $(filter-out 0,$(CUDA)),cuda,cpu))
	cp $(ARCHIVE) $B/release
	mkdir -p $B/release/bioconda
	cp packaging/bioconda/build.sh $B/release/bioconda
	sed "/set sha256/s/0\{64\}/$$(sha256sum <$(ARCHIVE) | cut -d' ' -f1)/" packaging/bioconda/meta.yaml >$B/release/bioconda/meta.yaml
	cd $B/release && sha256sum *.whl *.tar.gz >SHA256SUMS

# IMAGE=cuda makes the one for devices. BUILDER is podman, docker or buildah.
IMAGE   ?=
BUILDER ?= $(firstword $(shell command -v podman docker buildah))
image: dist ## a container image, warpsieve or with IMAGE=cuda warpsieve-cuda
	@[ -n "$(BUILDER)" ] || { echo "make image: neither podman nor docker nor buildah is installed" >&2; exit 1; }
	@rm -rf $B/image && mkdir -p $B/image && cp $(ARCHIVE) $B/image
	$(BUILDER) build -f packaging/Containerfile$(IMAGE:%=.%) -t warpsieve$(IMAGE:%=-%) $B/image

# ROOTS keeps the bare roots, so that the next time needs no debootstrap.
ROOTS ?= $B/roots
packroot: all ## as root: what make release made, run in bare roots of Debian 12, Debian 11 and Ubuntu 22.04
	sh tests/packroot.sh $(ROOTS)

imageroot: all ## as root: the container images and the Apptainer definition, with bare roots in place of published bases
	sh tests/imageroot.sh $(ROOTS)

.PHONY: wheel static committed release image packroot imageroot
