package io.github.lockstarter.redis.failure;

import io.github.lockstarter.redis.settings.RedisSettings;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Remedies for missing ACL rights. They only add rights, since the application may share the user. */
public record RequiredRights(RedisSettings settings) {

    public static final String COMMANDS =
            "+hello +auth +ping +select +client|setname +evalsha +eval +get +mget +set +incrby +del +exists +pexpire"
                    + " +pttl +time +info +hset +hmget +hgetall +hdel +zadd +zrem +zscore +zcard +zpopmin"
                    + " +zrangebyscore +publish +subscribe +unsubscribe +pubsub|numsub +wait";

    /**
     * Before 7.0, a server rejects a subcommand for a user with the whole command, and a pattern for a user with all.
     */
    private static final String WITHOUT_SUBCOMMANDS = COMMANDS.replaceAll(" \\+\\w+\\|\\w+", "");

    private static final Pattern COMMAND = Pattern.compile("run the '([^']+)' command");

    /** Servers before 7.0 name the command without its subcommand. */
    private static final Map<String, String> WITH_SUBCOMMAND =
            Map.of("client", "client|setname", "pubsub", "pubsub|numsub");

    public String remedyOf(ServerError refusal) {
        String missing = missing(refusal);
        return granting(missing.isEmpty() ? WITHOUT_SUBCOMMANDS : missing);
    }

    /** Empty if the error names none, as in scripts before Redis 8. */
    private String missing(ServerError refusal) {
        Matcher command = COMMAND.matcher(refusal.text());
        if (command.find()) {
            return "+" + WITH_SUBCOMMAND.getOrDefault(command.group(1), command.group(1));
        }
        if (refusal.text().contains("channel")) {
            return channels();
        }
        return refusal.text().contains(" key") ? keys() : "";
    }

    /** Lists all rights too: a server reports only the first missing one. */
    private String granting(String rights) {
        return "Give the user the missing right: ACL SETUSER <user> " + rights + " (all that locks need: " + keys()
                + " " + channels() + " " + COMMANDS + ")";
    }

    private String keys() {
        return "~" + settings.keyPrefix() + "*";
    }

    private String channels() {
        return "&" + settings.keyPrefix() + "*";
    }
}
