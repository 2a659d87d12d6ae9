package io.github.lockstarter.redis.failure;

import io.lettuce.core.RedisCommandExecutionException;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An error reply: its code, which is the same in every server version, and its text without version-specific parts.
 * <p>An error of a command inside a script reads {@code READONLY You can't …} from Redis 7.0 on, with {@code script:
 * <sha>, on @user_script:132.} appended if the script did not catch it; Valkey omits the SHA. Before 7.0 it reads
 * <code>&#64;user_script: 132: -READONLY You can't …</code> with a trailing line break, after <code>ERR Error running
 * script (call to f_&lt;sha&gt;): &#64;user_script:132: </code> if the script did not catch it.
 *
 * @param code first word; {@code ERR} if there is none
 * @param text including the code, without arguments of the command
 */
public record ServerError(String code, String text) {

    private static final Pattern PLACE_BEFORE =
            Pattern.compile("^-?(?:(?:ERR )?Error running script \\(call to \\w+\\): )?(?:@\\w+: ?\\d+: ?)*-?");
    private static final Pattern PLACE_BEHIND = Pattern.compile(" script: (?:\\w+, )?on @\\w+:\\d+\\.?$");
    private static final Pattern CODE = Pattern.compile("^[A-Z][A-Z0-9]+(?= |$)");

    /** Start of quoted arguments, which may contain a lock token. */
    private static final String ARGUMENTS = ", with args";

    /** Raised by Lua itself, such as {@code attempt to call field 'set_repl' (a nil value)}. */
    private static final Pattern OF_LUA =
            Pattern.compile("(?:^|ERR )user_script:\\d+: |\\battempt to (?:call|index|compare|perform|concatenate)\\b");

    private static final Set<String> PASSING = Set.of(
            "CLUSTERDOWN", "TRYAGAIN", "MOVED", "ASK", "LOADING", "MASTERDOWN", "READONLY", "BUSY", "NOREPLICAS");

    private static final Set<String> DEMOTED = Set.of("READONLY", "MASTERDOWN");

    public static ServerError of(String reply) {
        String text = PLACE_BEFORE.matcher(reply.strip()).replaceFirst("");
        int arguments = text.indexOf(ARGUMENTS);
        text = arguments >= 0
                ? text.substring(0, arguments)
                : PLACE_BEHIND.matcher(text).replaceFirst("");
        text = text.endsWith(".") ? chopped(text) : text;
        Matcher code = CODE.matcher(text);
        return new ServerError(code.find() ? code.group() : "ERR", text);
    }

    public static ServerError of(RedisCommandExecutionException refusal) {
        return of(String.valueOf(refusal.getMessage()));
    }

    private static String chopped(String text) {
        return text.substring(0, text.length() - 1);
    }

    /**
     * Whether the command was not executed and may succeed soon without a configuration change. {@code MOVED}, {@code
     * ASK}, {@code TRYAGAIN} and {@code CLUSTERDOWN} end when the cluster nodes agree on slots and masters; {@code
     * READONLY} and {@code MASTERDOWN} when the client finds the new master; {@code NOREPLICAS} when replicas connect
     * again.
     * <p>Excludes {@code OOM} and {@code MISCONF}: memory and disks stay full until an operator acts.
     */
    public boolean isPassing() {
        return PASSING.contains(code);
    }

    /** Whether the keys of a call are in several slots of a cluster; proxies say it in their own words. */
    public boolean isOfSlots() {
        return code.equals("CROSSSLOT") || text.contains("same slot");
    }

    /** Whether the script failed where it expects no error, for example because the server lacks a function. */
    boolean isOfLua() {
        return OF_LUA.matcher(text).find();
    }

    public static boolean isOfReplica(@Nullable Throwable failure) {
        return failure instanceof RedisCommandExecutionException refusal
                && of(refusal).isOfReplica();
    }

    public boolean isOfReplica() {
        return DEMOTED.contains(code);
    }

    /** Inside scripts this error has no code of its own. */
    public boolean isMissingRight() {
        return code.equals("NOPERM")
                || text.contains("ACL failure")
                || text.startsWith("The user executing the script")
                || text.startsWith("ERR The user executing the script");
    }
}
