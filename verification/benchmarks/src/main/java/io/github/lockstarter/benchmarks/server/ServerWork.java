package io.github.lockstarter.benchmarks.server;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The work of Redis between two readings of its counters.
 *
 * @param reads network reads ({@code total_reads_processed})
 * @param commands commands, including those in scripts ({@code total_commands_processed})
 * @param cpuMicros processor time ({@code used_cpu_user} and {@code used_cpu_sys})
 * @param scripts calls and time of {@code EVAL} and {@code EVALSHA} together ({@code commandstats})
 * @param sets calls and time of {@code SET}
 */
public record ServerWork(long reads, long commands, double cpuMicros, Calls scripts, Calls sets) {

    private static final Pattern STATISTICS = Pattern.compile("calls=(\\d+),usec=(\\d+),.*");
    private static final long CLOSING_INFO = 1;

    /** Calls of a command and their total time. */
    public record Calls(long count, long micros) {

        private Calls negated() {
            return new Calls(-count, -micros);
        }

        private Calls plus(Calls other) {
            return new Calls(count + other.count, micros + other.micros);
        }

        /** Mean time of a call; 0 without calls. */
        public double microsPerCall() {
            return count == 0 ? 0 : (double) micros / count;
        }
    }

    static ServerWork between(Map<String, String> before, Map<String, String> after) {
        return new ServerWork(
                difference("total_reads_processed", before, after) - CLOSING_INFO,
                difference("total_commands_processed", before, after) - CLOSING_INFO,
                cpuMicros(after) - cpuMicros(before),
                calls("evalsha", before, after).plus(calls("eval", before, after)),
                calls("set", before, after));
    }

    private static double cpuMicros(Map<String, String> info) {
        return 1e6
                * (Double.parseDouble(info.getOrDefault("used_cpu_user", "0"))
                        + Double.parseDouble(info.getOrDefault("used_cpu_sys", "0")));
    }

    private static long difference(String field, Map<String, String> before, Map<String, String> after) {
        return Long.parseLong(after.getOrDefault(field, "0")) - Long.parseLong(before.getOrDefault(field, "0"));
    }

    private static Calls calls(String command, Map<String, String> before, Map<String, String> after) {
        return callsIn(after.get("cmdstat_" + command))
                .plus(callsIn(before.get("cmdstat_" + command)).negated());
    }

    private static Calls callsIn(@Nullable String statistics) {
        Matcher matcher = STATISTICS.matcher(statistics == null ? "" : statistics);
        return matcher.matches()
                ? new Calls(Long.parseLong(matcher.group(1)), Long.parseLong(matcher.group(2)))
                : new Calls(0, 0);
    }
}
