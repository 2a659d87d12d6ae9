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
 * What some threads did in a round.
 *
 * @param shares operations of each thread that ended in time; they make the rate
 * @param all operations of all threads, those included that ended later
 * @param time length of the round
 * @param latencies of all operations, in nanoseconds
 */
@SuppressWarnings("ArrayRecordComponent") // compared nowhere
public record Yield(long[] shares, long all, Duration time, Histogram latencies) {

    private static final int SIGNIFICANT_DIGITS = 3;

    static Histogram newHistogram() {
        return new Histogram(SIGNIFICANT_DIGITS);
    }

    /**
     * Adds up what was done side by side.
     *
     * @param parts of threads or JVMs, over the same time
     * @return the whole
     */
    public static Yield together(List<Yield> parts) {
        Histogram latencies = newHistogram();
        parts.forEach(part -> latencies.add(part.latencies));
        long[] shares =
                parts.stream().flatMapToLong(part -> LongStream.of(part.shares)).toArray();
        long all = parts.stream().mapToLong(Yield::all).sum();
        return new Yield(shares, all, parts.get(0).time, latencies);
    }

    /**
     * Operations that ended in time.
     *
     * @return of all threads
     */
    public long inTime() {
        return LongStream.of(shares).sum();
    }

    /**
     * Rate, latencies and fairness.
     *
     * @return the measurement
     */
    public Measurement measurement() {
        return Measurement.EMPTY
                .with(Metric.OPERATIONS, inTime() / (time.toNanos() / 1e9))
                .with(Metric.P50, latencies.getValueAtPercentile(50) / 1e3)
                .with(Metric.P99, latencies.getValueAtPercentile(99) / 1e3);
    }

    /**
     * Writes it into one word.
     *
     * @return for {@link #parse}
     */
    public String format() {
        ByteBuffer bytes = ByteBuffer.allocate(latencies.getNeededByteBufferCapacity());
        int length = latencies.encodeIntoCompressedByteBuffer(bytes);
        String histogram = Base64.getEncoder().encodeToString(Arrays.copyOf(bytes.array(), length));
        String counts = LongStream.of(shares).mapToObj(Long::toString).collect(Collectors.joining(","));
        return counts + ";" + all + ";" + time.toNanos() + ";" + histogram;
    }

    /**
     * Reads what {@link #format} wrote.
     *
     * @param word one word
     * @return the same
     */
    public static Yield parse(String word) {
        String[] parts = word.split(";", -1);
        try {
            return new Yield(
                    Arrays.stream(parts[0].split(",", -1))
                            .mapToLong(Long::parseLong)
                            .toArray(),
                    Long.parseLong(parts[1]),
                    Duration.ofNanos(Long.parseLong(parts[2])),
                    Histogram.decodeFromCompressedByteBuffer(
                            ByteBuffer.wrap(Base64.getDecoder().decode(parts[3])), 0));
        } catch (DataFormatException e) {
            throw new IllegalArgumentException("Not a histogram", e);
        }
    }
}
