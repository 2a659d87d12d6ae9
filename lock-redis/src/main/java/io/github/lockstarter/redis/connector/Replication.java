package io.github.lockstarter.redis.connector;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A server's position in a replication history, from {@code INFO replication}.
 *
 * @param history replication id; empty if not reported
 * @param offset replicated bytes of the history
 * @param replicas number of connected replicas
 */
public record Replication(String history, long offset, int replicas) {

    private static final Pattern HISTORY = Pattern.compile("(?m)^master_replid:([0-9a-f]+)");
    private static final Pattern OF_MASTER = Pattern.compile("(?m)^master_repl_offset:(\\d+)");
    private static final Pattern OF_REPLICA = Pattern.compile("(?m)^slave_repl_offset:(\\d+)");
    private static final Pattern REPLICAS = Pattern.compile("(?m)^connected_slaves:(\\d+)");

    /**
     * {@return the position in a reply to {@code INFO replication}}
     *
     * @param info reply
     */
    public static Replication of(String info) {
        Matcher history = HISTORY.matcher(info);
        long offset = number(OF_REPLICA, info, number(OF_MASTER, info, 0));
        return new Replication(
                history.find() ? history.group(1) : "", offset, Math.toIntExact(number(REPLICAS, info, 0)));
    }

    private static long number(Pattern field, String info, long otherwise) {
        Matcher found = field.matcher(info);
        return found.find() ? Long.parseLong(found.group(1)) : otherwise;
    }

    /**
     * {@return whether a server at this position has replicated the other one}
     *
     * @param written position of the master
     */
    public boolean hasAll(Replication written) {
        return !history.isEmpty() && history.equals(written.history) && offset >= written.offset;
    }
}
