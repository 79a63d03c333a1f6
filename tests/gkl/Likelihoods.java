// SPDX-License-Identifier: MIT
// GATK's side of the pair-HMM: GKL's own Java classes over whatever library they find. Each command prints one line, or
// throws.
//   java -cp JARS Likelihoods.java COMMAND [FILE [COUNT [THREADS [double]]]]
import com.intel.gkl.NativeLibraryLoader;
import com.intel.gkl.pairhmm.IntelPairHmm;
import com.intel.gkl.pairhmm.IntelPairHmmOMP;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.broadinstitute.gatk.nativebindings.pairhmm.HaplotypeDataHolder;
import org.broadinstitute.gatk.nativebindings.pairhmm.PairHMMNativeArguments;
import org.broadinstitute.gatk.nativebindings.pairhmm.ReadDataHolder;

public class Likelihoods {
    /** A call: reads, haplotypes, and the values that the file has. */
    static class Region {
        ReadDataHolder[] reads;
        HaplotypeDataHolder[] haps;
        double[] expected;

        double[] compute(IntelPairHmm hmm) {
            double[] out = new double[reads.length * haps.length];
            hmm.computeLikelihoods(reads, haps, out);
            return out;
        }

        double cells() {
            double rows = 0, columns = 0;
            for (ReadDataHolder r : reads) rows += r.readBases.length;
            for (HaplotypeDataHolder h : haps) columns += h.haplotypeBases.length;
            return rows * columns;
        }
    }

    static byte[] bytes(String s) {
        return s.getBytes(StandardCharsets.ISO_8859_1);
    }

    static byte[] quals(String s) {
        byte[] q = bytes(s);
        for (int i = 0; i < q.length; i++) q[i] -= 33;
        return q;
    }

    static ReadDataHolder read(String bases, String q, String ins, String del, String gcp) {
        ReadDataHolder r = new ReadDataHolder();
        r.readBases = bytes(bases);
        r.readQuals = quals(q);
        r.insertionGOP = quals(ins);
        r.deletionGOP = quals(del);
        r.overallGCP = quals(gcp);
        return r;
    }

    static HaplotypeDataHolder hap(String bases) {
        HaplotypeDataHolder h = new HaplotypeDataHolder();
        h.haplotypeBases = bytes(bases);
        return h;
    }

    static Region region(List<String[]> reads, List<String> haps, List<Double> values) {
        Region g = new Region();
        g.reads = reads.stream().map(f -> read(f[0], f[1], f[2], f[3], f[4])).toArray(ReadDataHolder[]::new);
        g.haps = haps.stream().map(Likelihoods::hap).toArray(HaplotypeDataHolder[]::new);
        g.expected = values.stream().mapToDouble(v -> v).toArray();
        return g;
    }

    /** Reads what GATK dumps: a pair on each line. Lines of one read follow one another, and reads that meet the same
     * haplotypes make a region. */
    static List<Region> dump(List<String> lines) {
        List<Region> all = new ArrayList<>();
        List<String[]> reads = new ArrayList<>();
        List<String> haps = new ArrayList<>(), row = new ArrayList<>();
        List<Double> values = new ArrayList<>(), rowValues = new ArrayList<>();
        String[] last = null;
        for (int i = 0; i <= lines.size(); i++) {
            String[] f = i < lines.size() ? lines.get(i).trim().split("\\s+") : null;
            if (f != null && (f[0].startsWith("#") || f.length < 7)) continue;
            String[] read = f == null ? null : Arrays.copyOfRange(f, 1, 6);
            boolean next = last != null && (!Arrays.equals(last, read) || row.contains(f[0]));
            if (next) {
                if (!reads.isEmpty() && !haps.equals(row)) {
                    all.add(region(reads, haps, values));
                    reads.clear();
                    values.clear();
                }
                haps = new ArrayList<>(row);
                reads.add(last);
                values.addAll(rowValues);
                row.clear();
                rowValues.clear();
            }
            if (f == null) break;
            last = read;
            row.add(f[0]);
            rowValues.add(Double.parseDouble(f[6].replace("Infinity", "Infinity").replace(',', '.')));
        }
        all.add(region(reads, haps, values));
        return all;
    }

    /** Reads batches, "R H" and then R reads and H haplotypes. */
    static List<Region> batches(List<String> lines) {
        List<Region> all = new ArrayList<>();
        for (int at = 0; at < lines.size();) {
            String[] n = lines.get(at++).trim().split("\\s+");
            List<String[]> reads = new ArrayList<>();
            List<String> haps = new ArrayList<>();
            for (int i = 0; i < Integer.parseInt(n[0]); i++) reads.add(lines.get(at++).trim().split("\\s+"));
            for (int i = 0; i < Integer.parseInt(n[1]); i++) haps.add(lines.get(at++).trim());
            all.add(region(reads, haps, new ArrayList<>()));
        }
        return all;
    }

    static List<Region> load(String path) throws Exception {
        List<String> lines = Files.readAllLines(Paths.get(path), StandardCharsets.ISO_8859_1);
        return Character.isDigit(lines.get(0).charAt(0)) ? batches(lines) : dump(lines);
    }

    /** Returns GKL's object, loaded and initialised; more than one thread means the library with OpenMP. */
    static IntelPairHmm start(int threads, boolean all) {
        IntelPairHmm hmm = threads > 1 ? new IntelPairHmmOMP() : new IntelPairHmm();
        if (!hmm.load(null)) throw new IllegalStateException("GKL did not load the library");
        PairHMMNativeArguments a = new PairHMMNativeArguments();
        a.useDoublePrecision = all;
        a.maxNumberOfThreads = threads;
        hmm.initialize(a);
        return hmm;
    }

    static double worst(double[] got, double[] expected) {
        double most = 0;
        for (int i = 0; i < expected.length; i++) {
            double d = got[i] == expected[i] ? 0 : Math.abs(got[i] - expected[i]);
            most = d <= most ? most : d; // NaN is the worst
        }
        return most;
    }

    /** Prints the values, a line each. */
    static void values(IntelPairHmm hmm, List<Region> all) {
        StringBuilder out = new StringBuilder();
        for (Region g : all) for (double v : g.compute(hmm)) out.append(v).append('\n');
        System.out.print(out);
    }

    static void check(IntelPairHmm hmm, List<Region> all) {
        double most = 0;
        int pairs = 0;
        for (Region g : all) {
            double d = worst(g.compute(hmm), g.expected);
            most = d <= most ? most : d;
            pairs += g.expected.length;
        }
        if (!(most <= 1e-5)) throw new AssertionError("the largest difference is " + most);
        System.out.printf("%d pairs, within 1e-5%n", pairs);
    }

    /** Lets threads compute the regions in different orders, with one object and one of their own; all bytes are equal. */
    static void threads(IntelPairHmm hmm, List<Region> all, int count) throws Exception {
        List<double[]> expected = new ArrayList<>();
        for (Region g : all) expected.add(g.compute(hmm));
        List<Thread> threads = new ArrayList<>();
        int[] wrong = new int[8];
        for (int t = 0; t < wrong.length; t++) {
            final int me = t;
            threads.add(new Thread(() -> {
                wrong[me] = 1;
                for (int i = 0; i < count; i++) {
                    int k = (i * 7 + me * 13) % all.size();
                    if (!Arrays.equals(all.get(k).compute(hmm), expected.get(k))) return;
                    if (i % 50 == me) hmm.done();
                }
                wrong[me] = 0;
            }));
        }
        for (Thread t : threads) t.start();
        for (Thread t : threads) t.join();
        if (Arrays.stream(wrong).sum() != 0) throw new AssertionError("values of threads differ");
        System.out.println("equal");
    }

    static long resident() throws Exception {
        return Long.parseLong(Files.readString(Paths.get("/proc/self/statm")).split(" ")[1]) * 4096;
    }

    /** Computes a small region count times, with one bad call in ten. */
    static void leak(IntelPairHmm hmm, Region g, int count) throws Exception {
        double[] out = new double[g.reads.length * g.haps.length];
        long before = 0;
        for (int i = 0; i < count; i++) {
            if (i == count / 5) before = resident();
            hmm.computeLikelihoods(g.reads, g.haps, out);
            if (i % 10 == 0) refused(hmm, g.reads, g.haps, new double[1], IllegalArgumentException.class);
        }
        System.out.printf("%d%n", resident() - before);
    }

    static void refused(IntelPairHmm hmm, ReadDataHolder[] reads, HaplotypeDataHolder[] haps, double[] out,
                        Class<?> expected) {
        double[] before = out == null ? null : out.clone();
        try {
            hmm.computeLikelihoods(reads, haps, out);
        } catch (Throwable e) {
            if (!expected.isInstance(e)) throw new AssertionError("wrong exception", e);
            if (before != null && !Arrays.equals(before, out)) throw new AssertionError("values of a call that failed");
            return;
        }
        throw new AssertionError(expected + " was expected");
    }

    static void exceptions(IntelPairHmm hmm) {
        Class<?> bad = IllegalArgumentException.class, none = NullPointerException.class;
        HaplotypeDataHolder[] one = {hap("ACGT")};
        ReadDataHolder[] good = {read("ACGT", "IIII", "NNNN", "NNNN", "++++")};
        refused(hmm, good, one, new double[0], bad);
        refused(hmm, new ReadDataHolder[1], one, new double[1], none);
        refused(hmm, good, new HaplotypeDataHolder[1], new double[1], none);
        refused(hmm, new ReadDataHolder[] {new ReadDataHolder()}, one, new double[1], none);
        refused(hmm, good, new HaplotypeDataHolder[] {new HaplotypeDataHolder()}, new double[1], none);
        refused(hmm, new ReadDataHolder[] {read("ACGT", "III", "NNNN", "NNNN", "++++")}, one, new double[1], bad);
        refused(hmm, new ReadDataHolder[] {read("", "", "", "", "")}, one, new double[1], bad);
        refused(hmm, good, new HaplotypeDataHolder[] {hap("")}, new double[1], bad);
        refused(hmm, good, new HaplotypeDataHolder[] {hap("AC*T")}, new double[1], bad);
        refused(hmm, new ReadDataHolder[] {read("ACGT", "II I", "NNNN", "NNNN", "++++")}, one, new double[1], bad);
        refused(hmm, null, one, new double[1], none);
        double[] out = new double[1];
        hmm.computeLikelihoods(good, one, out);
        hmm.computeLikelihoods(new ReadDataHolder[0], one, new double[0]);
        if (!(out[0] > -2 && out[0] < 0)) throw new AssertionError("a good call after bad ones: " + out[0]);
        System.out.println("all refused");
    }

    /** Prints 10^9 cells for each second of this process's processor time, over count passes. */
    static void speed(IntelPairHmm hmm, List<Region> all, int count) {
        var os = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        double cells = 0;
        for (int i = 0; i < 3; i++) for (Region g : all) g.compute(hmm);
        long from = os.getProcessCpuTime();
        for (int i = 0; i < count; i++)
            for (Region g : all) {
                g.compute(hmm);
                cells += g.cells();
            }
        System.out.printf("%.3f%n", cells / (os.getProcessCpuTime() - from));
    }

    public static void main(String[] a) throws Exception {
        if (a[0].equals("where")) { // what GKL's loader asks for, where it loads from the class path
            System.out.println(NativeLibraryLoader.class.getResource("native/" + System.mapLibraryName(a[1])));
            return;
        }
        int count = a.length > 2 ? Integer.parseInt(a[2]) : 1, threads = a.length > 3 ? Integer.parseInt(a[3]) : 1;
        IntelPairHmm hmm = start(threads, a.length > 4 && a[4].equals("double"));
        List<Region> all = a.length > 1 ? load(a[1]) : null;
        switch (a[0]) {
            case "values" -> values(hmm, all);
            case "check" -> check(hmm, all);
            case "threads" -> threads(hmm, all, count);
            case "leak" -> leak(hmm, all.get(0), count);
            case "exceptions" -> exceptions(hmm);
            case "speed" -> speed(hmm, all, count);
            default -> throw new IllegalArgumentException(a[0]);
        }
        hmm.done();
    }
}
