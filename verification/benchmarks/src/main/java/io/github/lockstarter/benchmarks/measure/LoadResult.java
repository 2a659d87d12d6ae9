package io.github.lockstarter.benchmarks.measure;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/**
 * Result of a round of several threads.
 *
 * @param shares operations of each thread that ended in time, which give the rate
 * @param all operations of all threads, including those that ended later
 * @param time length of the round
 * @param latencies of all operations, in ns
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record LoadResult(long[] shares, long all, Duration time, Histogram latencies) {

    private static final int SIGNIFICANT_DIGITS = 3;

    static Histogram newHistogram() {
        return new Histogram(SIGNIFICANT_DIGITS);
    }

    /** Merges simultaneous results of threads or JVMs. */
    public static LoadResult together(List<LoadResult> parts) {
        Histogram latencies = newHistogram();
        parts.forEach(part -> latencies.add(part.latencies));
        long[] shares =
                parts.stream().flatMapToLong(part -> LongStream.of(part.shares)).toArray();
        long all = parts.stream().mapToLong(LoadResult::all).sum();
        return new LoadResult(shares, all, parts.get(0).time, latencies);
    }

    /** Operations of all threads that ended in time. */
    public long inTime() {
        return LongStream.of(shares).sum();
    }

    /** Rate and latencies. */
    public Measurement measurement() {
        return Measurement.EMPTY
                .with(Metric.OPERATIONS, inTime() / (time.toNanos() / 1e9))
                .with(Metric.P50, latencies.getValueAtPercentile(50) / 1e3)
                .with(Metric.P99, latencies.getValueAtPercentile(99) / 1e3);
    }

    /** Encodes the result in one word. */
    public String format() {
        ByteBuffer bytes = ByteBuffer.allocate(latencies.getNeededByteBufferCapacity());
        int length = latencies.encodeIntoCompressedByteBuffer(bytes);
        String histogram = Base64.getEncoder().encodeToString(Arrays.copyOf(bytes.array(), length));
        String counts = LongStream.of(shares).mapToObj(Long::toString).collect(Collectors.joining(","));
        return counts + ";" + all + ";" + time.toNanos() + ";" + histogram;
    }

    /** Decodes a word of {@link #format}. */
    public static LoadResult parse(String word) {
        String[] parts = word.split(";", -1);
        try {
            return new LoadResult(
                    Arrays.stream(parts[0].split(",", -1))
                            .mapToLong(Long::parseLong)
                            .toArray(),
                    Long.parseLong(parts[1]),
                    Duration.ofNanos(Long.parseLong(parts[2])),
                    Histogram.fromString(parts[3]));
        } catch (DataFormatException e) {
            throw new IllegalArgumentException("Not a histogram", e);
        }
    }
}
