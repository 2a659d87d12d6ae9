package io.github.lockstarter.redis.failure;

import io.github.lockstarter.redis.settings.RedisSettings;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the user of the lock has to be allowed, and what to grant where a right is missing. What is suggested adds
 * rights and takes none away: the user may be the application's own.
 *
 * @param settings say what the keys are called
 */
public record RequiredRights(RedisSettings settings) {

    /** All commands that locks send or call, as {@code ACL SETUSER} takes them. */
    public static final String COMMANDS =
            "+hello +auth +ping +select +client|setname +evalsha +eval +get +mget +set +incrby +del +exists +pexpire"
                    + " +pttl +time +info +zadd +zrem +zscore +zcard +zpopmin +publish +subscribe +unsubscribe"
                    + " +pubsub|numsub +wait";

    /**
     * A server before 7.0 refuses a subcommand to a user that has all of the command, and any a pattern to one of
     * all.
     */
    private static final String WITHOUT_SUBCOMMANDS = COMMANDS.replaceAll(" \\+\\w+\\|\\w+", "");

    private static final Pattern COMMAND = Pattern.compile("run the '([^']+)' command");

    /** Servers before 7.0 name the command without its subcommand. */
    private static final Map<String, String> WITH_SUBCOMMAND =
            Map.of("client", "client|setname", "pubsub", "pubsub|numsub");

    /** What to do about a refusal. */
    public String remedyOf(ServerError refusal) {
        String missing = missing(refusal);
        return granting(missing.isEmpty() ? WITHOUT_SUBCOMMANDS : missing);
    }

    /**
     * The right that a refusal names, as {@code ACL SETUSER} takes it; empty if it names no command, as in scripts
     * before Redis 8.
     */
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

    /** What to do where rights are missing. Others may be missing too: a server says so only to a user that tries. */
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
