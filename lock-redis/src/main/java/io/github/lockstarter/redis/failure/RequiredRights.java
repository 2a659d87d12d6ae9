package io.github.lockstarter.redis.failure;

import io.github.lockstarter.redis.settings.RedisSettings;
import java.util.List;
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

    private static final Pattern COMMAND = Pattern.compile("run the '([^']+)' command");

    private static final String CLIENT_SETNAME = "client|setname";

    /** Servers before 7.0 name the command without its subcommand. */
    private static final Map<String, String> WITH_SUBCOMMAND =
            Map.of("client", CLIENT_SETNAME, "pubsub", "pubsub|numsub");

    /** The keys of all locks. */
    String keys() {
        return "~" + settings.keyPrefix() + "*";
    }

    /** The channels of all mailboxes. */
    String channels() {
        return "&" + settings.keyPrefix() + "*";
    }

    /** The right that a refusal names, as {@code ACL SETUSER} takes it; empty if it names none. */
    public String missing(ServerError refusal) {
        Matcher command = COMMAND.matcher(refusal.text());
        if (command.find()) {
            return "+" + WITH_SUBCOMMAND.getOrDefault(command.group(1), command.group(1));
        }
        if (refusal.text().contains("channel")) {
            return channels();
        }
        return refusal.text().contains(" key") ? keys() : "";
    }

    /** What to do about a refusal. */
    public String remedyOf(ServerError refusal) {
        String missing = missing(refusal);
        return missing.isEmpty()
                ? "Give the user the right that ACL LOG of the server names"
                : granting("<user>", List.of(missing));
    }

    /**
     * What to do about a refusal while connecting, where nothing else can be tried: names all commands, which does not
     * harm, since some of the others may be missing too.
     */
    String remedyOfConnecting(ServerError refusal) {
        String missing = missing(refusal);
        if (!missing.startsWith("+")) {
            return remedyOf(refusal);
        }
        // Servers before 7.0 refuse a subcommand where all of the command is allowed.
        String others = missing.equals("+" + CLIENT_SETNAME)
                ? COMMANDS
                : COMMANDS.replace(" +" + CLIENT_SETNAME, "") + (COMMANDS.contains(missing) ? "" : " " + missing);
        return granting("<user>", List.of(others)) + " (it lacks " + missing
                + "; the others can be checked only when it connects)";
    }

    /** Adds rights to those of a user. */
    public static String granting(String user, List<String> rules) {
        return "Give the user the missing rights: ACL SETUSER " + user + " " + String.join(" ", rules);
    }
}
