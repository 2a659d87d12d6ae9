package io.github.lockstarter.redis;

import io.github.lockstarter.redis.cause.ExceptionCauses;
import io.github.lockstarter.redis.connector.RedisConnector.Target;
import io.github.lockstarter.redis.connector.SeveralMastersException;
import io.github.lockstarter.redis.failure.ServerError;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.redis.settings.RedisSettings.FirstUse;
import io.github.lockstarter.redis.settings.RedisSettings.SingleMaster;
import io.lettuce.core.RedisCommandExecutionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The lock-related part of a server's {@code INFO}; fields that the server or its version lacks are missing. */
record ServerState(Map<String, String> fields) {

    /** A server with default snapshot settings saves within an hour of a change. */
    private static final Duration UNSAVED = Duration.ofMinutes(70);

    static ServerState of(@Nullable String info) {
        Map<String, String> fields = new HashMap<>();
        if (info != null) {
            info.lines().filter(line -> line.indexOf(':') > 0).forEach(line -> {
                int colon = line.indexOf(':');
                fields.put(line.substring(0, colon), line.substring(colon + 1).strip());
            });
        }
        return new ServerState(Map.copyOf(fields));
    }

    /**
     * Joins both answers; empty if the server refuses. {@code crdt} is asked apart, since it is no default section, and
     * a server before 7.0 takes one section or none.
     */
    static CompletionStage<String> info(CompletionStage<String> sections, CompletionStage<String> crdt) {
        return text(sections).thenCombine(text(crdt), String::concat);
    }

    /** Empty if the server refuses for good. */
    static CompletionStage<String> text(CompletionStage<String> asked) {
        return asked.handle((info, failure) -> {
            if (failure != null && !isRefusal(ExceptionCauses.rootOf(failure))) {
                throw new CompletionException(failure);
            }
            return info == null ? "" : info;
        });
    }

    private static boolean isRefusal(Throwable failure) {
        return failure instanceof RedisCommandExecutionException refusal
                && !ServerError.of(refusal).isPassing();
    }

    /** The INFO field that reports further masters of the same keys, in Redis Enterprise or KeyDB. */
    Optional<String> otherMasters() {
        return Stream.of("crdt_replid", "crdt_config_version", "role")
                .filter(fields::containsKey)
                .map(name -> name + ':' + fields.get(name))
                .filter(field -> !field.startsWith("role:") || field.equals("role:active-replica"))
                .findFirst();
    }

    /** Of a server that is not declared to be the only master. */
    Optional<SeveralMastersException> severalMasters(Target target, RedisSettings settings) {
        return settings.singleMaster() == SingleMaster.DECLARED
                ? Optional.empty()
                : otherMasters()
                        .map(field -> new SeveralMastersException(
                                "Redis at " + target.name()
                                        + " is one of several masters that replicate each other (" + field
                                        + "): each of them grants the same lock",
                                target.setup().oneMaster()));
    }

    List<String> warnings(String server, RedisSettings settings) {
        List<String> warnings = new ArrayList<>();
        String place = "Redis at " + server;
        if (evicts()) {
            warnings.add(place + " evicts keys when it is full (maxmemory-policy " + fields.get("maxmemory_policy")
                    + ", maxmemory " + fields.get("maxmemory") + "): a lock that is evicted while it is held is granted"
                    + " again at once. Set maxmemory-policy noeviction, or keep locks on a server of their own");
        }
        if (settings.guard().isOff()) {
            if (hasNoLog()) {
                warnings.add(place + " has no append-only file (appendonly no), and"
                        + " distributed-lock.redis.grace-period is 0s: after a restart, locks acquired since"
                        + " the last snapshot are missing and are granted again while their holders work. Remove"
                        + " grace-period, or set appendonly yes with appendfsync always");
            }
        } else if (hasNoLog()
                && isUnsaved()
                && settings.guard().firstUse() == FirstUse.GRANT
                && !settings.guard().isDurable()) {
            warnings.add(place + " has no append-only file (appendonly no), and has not saved the last "
                    + fields.get("rdb_changes_since_last_save") + " changes: if it restarts, the history guard needs an"
                    + " instance that used it before to detect that locks were forgotten. Set appendonly yes or save");
        }
        if (executesScriptsWithoutReplicas()
                && !settings.guard().deposedMasterWrites().isZero()) {
            warnings.add(place + " runs version " + fields.get("redis_version") + ", which executes scripts regardless"
                    + " of min-replicas-to-write: a deposed master continues to grant locks for longer than"
                    + " distributed-lock.redis.deposed-master-writes. Use Redis 6.2 or later");
        }
        return warnings;
    }

    /** Redis 6.0 applies the setting to commands, but not to those that a script calls. */
    private boolean executesScriptsWithoutReplicas() {
        return fields.getOrDefault("redis_version", "").startsWith("6.0.");
    }

    private boolean evicts() {
        String policy = fields.getOrDefault("maxmemory_policy", "noeviction");
        return !policy.equals("noeviction") && number("maxmemory") > 0;
    }

    private boolean hasNoLog() {
        return "0".equals(fields.get("aof_enabled"));
    }

    private boolean isUnsaved() {
        long seconds = number("server_time_usec") / 1_000_000 - number("rdb_last_save_time");
        return number("rdb_changes_since_last_save") > 0
                && fields.containsKey("server_time_usec")
                && seconds > UNSAVED.toSeconds();
    }

    private long number(String field) {
        try {
            return Long.parseLong(fields.getOrDefault(field, "0"));
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
