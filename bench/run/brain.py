#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mrfseg beside Atropos (antspyx), dipy's HMRF and SimpleITK's k-means on the MNI152 brain: Dice and processor time.

    python3 -m venv V && V/bin/pip install nilearn==0.14.1 antspyx==0.6.3 dipy==1.12.1 SimpleITK==2.5.7 matplotlib
    V/bin/python bench/run/brain.py MRFSEG [TABLE.tsv [PICTURE.png [PART]]]     PART: only sets with this in their names

The image is the T1 template of nilearn's wheel, every second voxel, with Gaussian noise in percent of the white matter's
mean, and the sets "bias" with a smooth field that goes from 0.7 to 1.3; set "maps" is a phantom as BrainWeb's: tissue maps
times a value for each tissue. Both of a fixed seed. The truth is the likeliest of the template's tissue maps: fluid, grey
matter, white matter. Dice of all programs is counted inside the brain, with their classes in the order of their means.
Seconds are processor time: of mrfseg the whole process with its files, of the others the call alone, on one thread.
"""
import os
import resource
import subprocess
import sys
import tempfile
import time

os.environ["ITK_GLOBAL_DEFAULT_NUMBER_OF_THREADS"] = os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

import ants  # noqa: E402
import nibabel  # noqa: E402
import nilearn.datasets  # noqa: E402
import numpy  # noqa: E402
import SimpleITK  # noqa: E402
from dipy.segment.tissue import TissueClassifierHMRF  # noqa: E402

RUNS = 5  # of mrfseg, of which the median counts
TISSUES = ("fluid", "grey", "white")
MRFSEG = {
    "mrfseg": "--mask MASK --classes 3",
    "mrfseg, smoother": "--mask MASK --classes 3 --neighbours 18 --beta-in 0.25",
    "mrfseg, 26 neighbours": "--mask MASK --classes 3 --neighbours 26",
    "mrfseg, no mask": "--classes 4",
    "mrfseg, no mask, smoother": "--classes 4 --neighbours 18 --beta-in 0.25",
    "mrfseg, no mask, means given": "--class air:0:6 --class fluid:FLUID:20 --class grey:GREY:15 --class white:WHITE:10 --beta-in 1",
}


def load(what):
    folder = os.path.join(os.path.dirname(nilearn.datasets.__file__), "data")
    return nibabel.load(os.path.join(folder, "mni_icbm152_%s_tal_nlin_sym_09a_converted.nii.gz" % what))


class Brain:
    def __init__(self):
        every = (slice(None, None, 2),) * 3
        image, grey, white = (load(w) for w in ("t1", "gm", "wm"))
        self.t1, grey, white = (i.get_fdata()[every] for i in (image, grey, white))
        self.affine = image.affine @ numpy.diag([2, 2, 2, 1])
        self.mask = self.t1 > 0
        self.maps = numpy.stack([numpy.clip(255 - grey - white, 0, 255), grey, white]) / 255
        self.truth = numpy.where(self.mask, self.maps.argmax(0) + 1, 0)
        self.means = [self.t1[self.truth == k].mean() for k in (1, 2, 3)]
        self.random = numpy.random.default_rng(58)

    def noisy(self, image, percent):
        noise = self.random.normal(0, percent / 100 * self.means[2], image.shape)
        return numpy.where(self.mask, image + noise, 0).astype(numpy.float32)

    def field(self):
        """A cubic of the place by lot, from 0.7 to 1.3 inside."""
        x = numpy.stack(numpy.meshgrid(*(numpy.linspace(-1, 1, n) for n in self.mask.shape), indexing="ij"))
        powers = [(a, b, c) for a in range(4) for b in range(4 - a) for c in range(4 - a - b) if a + b + c]
        f = sum(self.random.normal() * x[0] ** a * x[1] ** b * x[2] ** c for a, b, c in powers)
        low, high = f[self.mask].min(), f[self.mask].max()
        return 0.7 + 0.6 * (f - low) / (high - low)

    def sets(self):
        for percent in (3, 5, 9):
            yield "T1, noise %d %%" % percent, self.noisy(self.t1, percent)
        yield "maps, noise 5 %", self.noisy(sum(m * p for m, p in zip(self.means, self.maps)), 5)
        biased = self.noisy(self.t1 * self.field(), 5)
        yield "bias, noise 5 %", biased
        yield "bias, noise 5 %, N4 before", self.without_bias(biased)

    def without_bias(self, image):
        n4 = SimpleITK.N4BiasFieldCorrectionImageFilter()
        n4.SetMaximumNumberOfIterations([100, 100])  # two levels: finer fields follow the anatomy of the template
        n4.SetConvergenceThreshold(1e-5)
        whole = SimpleITK.GetImageFromArray(numpy.maximum(image, 1))  # it takes logarithms
        mask = SimpleITK.GetImageFromArray(self.mask.astype(numpy.uint8))
        n4.Execute(SimpleITK.Shrink(whole, [2] * 3), SimpleITK.Shrink(mask, [2] * 3))
        field = numpy.exp(SimpleITK.GetArrayFromImage(n4.GetLogBiasFieldAsImage(whole)))
        return numpy.where(self.mask, image / field, 0).astype(numpy.float32)

    def in_order(self, image, labels, first):
        """Labels from `first` on become 1, 2, 3 by their means; without a mask the lowest is the background."""
        classes = sorted((c for c in numpy.unique(labels) if c >= first), key=lambda c: image[labels == c].mean())
        out = numpy.zeros(labels.shape, int)
        for place, c in enumerate(classes[-3:]):
            out[labels == c] = place + 1
        return out

    def dice(self, labels):
        inside = numpy.where(self.mask, labels, 0)
        return [2 * ((inside == k) & (self.truth == k)).sum() / ((inside == k).sum() + (self.truth == k).sum()) for k in (1, 2, 3)]


def mrfseg(program, options, brain, image, folder):
    path, mask, labels = (os.path.join(folder, f) for f in ("image.nii", "mask.nii", "labels.nii"))
    nibabel.Nifti1Image(image, brain.affine).to_filename(path)
    nibabel.Nifti1Image(brain.mask.astype(numpy.uint8), brain.affine).to_filename(mask)
    for name, value in zip(("FLUID", "GREY", "WHITE", "MASK"), ["%.0f" % m for m in brain.means] + [mask]):
        options = options.replace(name, value)
    seconds = []
    for _ in range(RUNS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([program, *options.split(), "-t", "1", "--quiet", "--labels", labels, path], check=True,
                       stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    got = nibabel.load(labels).get_fdata().astype(int)
    return got if "--mask" in options else brain.in_order(image, got, 0), sorted(seconds)[RUNS // 2]


def peers(brain):
    mask = ants.from_numpy(brain.mask.astype(numpy.float32))

    def atropos(weight):
        return lambda image: ants.atropos(a=ants.from_numpy(image), x=mask, i="kmeans[3]", m="[%g,1x1x1]" % weight, c="[5,0]")[
            "segmentation"].numpy().astype(int)

    def kmeans(image):
        got = SimpleITK.ScalarImageKmeans(SimpleITK.GetImageFromArray(image), [0.0] + [float(m) for m in brain.means])
        return SimpleITK.GetArrayFromImage(got).astype(int)

    yield "Atropos, MRF 0.2", atropos(0.2), 1
    yield "Atropos, MRF 0.3", atropos(0.3), 1
    yield "dipy HMRF, beta 0.1", lambda image: TissueClassifierHMRF(verbose=False).classify(image, 3, 0.1)[1].astype(int), 1
    yield "SimpleITK k-means, means given", kmeans, 0


def measured(brain, image, run, first):
    start = time.process_time()
    labels = run(image)
    seconds = time.process_time() - start
    return brain.in_order(image, labels, first), seconds


def draw(path, brain, image, results):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    shown = [("the image", image), ("truth", brain.truth)] + results
    figure, axes = pyplot.subplots(2, (len(shown) + 1) // 2, figsize=(2.6 * ((len(shown) + 1) // 2), 6.4))
    for axis in axes.flat:
        axis.axis("off")
    for axis, (name, volume) in zip(axes.flat, shown):
        axis.imshow(volume[:, :, 48].T, origin="lower", cmap="gray", interpolation="nearest")
        axis.set_title(name, fontsize=9)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main(program, table=None, picture=None, part=""):
    brain = Brain()
    rows = ["#set\tprogram\t" + "\t".join("dice_" + t for t in TISSUES) + "\tseconds"]
    with tempfile.TemporaryDirectory() as folder:
        for name, image in brain.sets():
            drawn = []
            if part not in name:
                continue
            results = [(p, *mrfseg(program, o, brain, image, folder)) for p, o in MRFSEG.items() if "given" not in p or "T1" in name]
            results += [(p, *measured(brain, image, run, first)) for p, run, first in peers(brain)]
            for p, labels, seconds in results:
                rows.append("\t".join([name, p] + ["%.3f" % d for d in brain.dice(labels)] + ["%.2f" % seconds]))
                print(rows[-1], flush=True)
                if p in ("mrfseg", "mrfseg, smoother", "Atropos, MRF 0.2", "dipy HMRF, beta 0.1", "SimpleITK k-means, means given"):
                    drawn.append((p.replace(", means given", ""), numpy.where(brain.mask, labels, 0)))
            if picture and name == "T1, noise 5 %":
                draw(picture, brain, image, drawn)
    if table:
        with open(table + ".part", "w") as f:
            f.write("\n".join(rows) + "\n")
        os.replace(table + ".part", table)


if __name__ == "__main__":
    main(*sys.argv[1:])
