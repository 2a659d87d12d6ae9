package io.github.lockstarter.benchmarks.server;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The work of Redis between two readings of its counters.
 *
 * @param reads network reads ({@code total_reads_processed})
 * @param commands commands, including those in scripts ({@code total_commands_processed})
 * @param cpuMicros processor time ({@code used_cpu_user} and {@code used_cpu_sys})
 * @param byCommand calls and time of each command ({@code commandstats})
 */
public record ServerWork(long reads, long commands, double cpuMicros, Map<String, Calls> byCommand) {

    private static final String PREFIX = "cmdstat_";
    private static final Pattern STATISTICS = Pattern.compile("calls=(\\d+),usec=(\\d+),.*");
    private static final long CLOSING_INFO = 1;

    /** Calls of a command and their total time. */
    public record Calls(long count, long micros) {

        private static final Calls NONE = new Calls(0, 0);

        private Calls minus(Calls other) {
            return new Calls(count - other.count, micros - other.micros);
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
        Map<String, Calls> calls = new TreeMap<>();
        after.keySet().stream()
                .filter(name -> name.startsWith(PREFIX))
                .forEach(name -> calls.put(
                        name.substring(PREFIX.length()), callsIn(after, name).minus(callsIn(before, name))));
        return new ServerWork(
                difference("total_reads_processed", before, after) - CLOSING_INFO,
                difference("total_commands_processed", before, after) - CLOSING_INFO,
                cpuMicros(after) - cpuMicros(before),
                calls);
    }

    /** Calls of a command, in lower case. */
    public Calls calls(String command) {
        return byCommand.getOrDefault(command, Calls.NONE);
    }

    /** {@code EVAL} and {@code EVALSHA} together. */
    public Calls scripts() {
        return calls("evalsha").plus(calls("eval"));
    }

    private static double cpuMicros(Map<String, String> info) {
        return 1e6
                * (Double.parseDouble(info.getOrDefault("used_cpu_user", "0"))
                        + Double.parseDouble(info.getOrDefault("used_cpu_sys", "0")));
    }

    private static long difference(String field, Map<String, String> before, Map<String, String> after) {
        return Long.parseLong(after.getOrDefault(field, "0")) - Long.parseLong(before.getOrDefault(field, "0"));
    }

    private static Calls callsIn(Map<String, String> info, String name) {
        Matcher matcher = STATISTICS.matcher(info.getOrDefault(name, ""));
        return matcher.matches()
                ? new Calls(Long.parseLong(matcher.group(1)), Long.parseLong(matcher.group(2)))
                : Calls.NONE;
    }
}
