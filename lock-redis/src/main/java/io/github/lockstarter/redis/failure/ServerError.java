package io.github.lockstarter.redis.failure;

import io.lettuce.core.RedisCommandExecutionException;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An error reply: its code, which means the same on every version of the server, and its text without what the version
 * adds.
 *
 * <p>An error of a command inside a script reads {@code READONLY You can't …} from Redis 7.0 on, and
 * {@code READONLY You can't … script: <sha>, on @user_script:132.} where the script did not catch it; Valkey leaves the
 * SHA out. Before 7.0 it reads {@code
 * @user_script: 132: -READONLY You can't …} with a line break at the end, and
 *     {@code ERR Error running script (call to f_<sha>):
 * @user_script:132: @user_script: 132: -READONLY You can't …} where the script did not catch it.
 *
 * @param code the first word, such as {@code READONLY}; {@code ERR} where the server gives none, but {@code TRYAGAIN}
 *     if a script missed a key of a slot that is being moved
 * @param text with the code, if the server gives one, and without arguments of the command
 */
public record ServerError(String code, String text) {

    private static final Pattern PLACE_BEFORE =
            Pattern.compile("^-?(?:ERR Error running script \\(call to f_\\w+\\): )?(?:@\\w+: ?\\d+: ?)*-?");
    private static final Pattern PLACE_BEHIND = Pattern.compile(" script: (?:\\w+, )?on @\\w+:\\d+\\.?$");
    private static final Pattern CODE = Pattern.compile("^[A-Z][A-Z0-9]+(?= |$)");

    /** Begins a quotation of arguments, one of which may be a lock token. */
    private static final String ARGUMENTS = ", with args";

    /** The command that runs a script is told {@code TRYAGAIN}; a command inside has no code of its own. */
    private static final String MOVED_INSIDE_SCRIPT = "attempted to access a non local key";

    private static final Set<String> PASSING = Set.of(
            "CLUSTERDOWN", "TRYAGAIN", "MOVED", "ASK", "LOADING", "MASTERDOWN", "READONLY", "BUSY", "NOREPLICAS");

    private static final Set<String> DEMOTED = Set.of("READONLY", "MASTERDOWN");

    /** Reads an error reply. */
    public static ServerError of(String reply) {
        String text = PLACE_BEFORE.matcher(reply.strip()).replaceFirst("");
        int arguments = text.indexOf(ARGUMENTS);
        text = arguments >= 0
                ? text.substring(0, arguments)
                : PLACE_BEHIND.matcher(text).replaceFirst("");
        text = text.endsWith(".") ? chopped(text) : text;
        if (text.contains(MOVED_INSIDE_SCRIPT)) {
            return new ServerError("TRYAGAIN", text);
        }
        Matcher code = CODE.matcher(text);
        return new ServerError(code.find() ? code.group() : "ERR", text);
    }

    /** Reads what the client made of an error reply. */
    public static ServerError of(RedisCommandExecutionException refusal) {
        return of(String.valueOf(refusal.getMessage()));
    }

    private static String chopped(String text) {
        return text.substring(0, text.length() - 1);
    }

    /**
     * Whether the refusal ends without a change of the setup, usually within the wait of a caller, and has certainly
     * not written anything. {@code MOVED}, {@code ASK}, {@code TRYAGAIN} and {@code CLUSTERDOWN} end when the nodes of
     * a cluster agree on slots and masters; {@code READONLY} and {@code MASTERDOWN} when the client finds the master of
     * a failover; {@code LOADING} when the server has its data; {@code BUSY} when another script ends, or an operator
     * kills it; {@code NOREPLICAS} when replicas are connected again, which a server that was just promoted waits for
     * too.
     *
     * <p>{@code OOM} and {@code MISCONF} are not among them: memory and disks stay full until an operator acts.
     */
    boolean isPassing() {
        return PASSING.contains(code);
    }

    /**
     * Whether a failure says that the server is a replica, or one that was promoted not long ago and is none any more.
     */
    public static boolean isOfReplica(@Nullable Throwable failure) {
        return failure instanceof RedisCommandExecutionException refusal
                && of(refusal).isOfReplica();
    }

    /** Whether the server is a replica, so that the master is elsewhere. */
    public boolean isOfReplica() {
        return DEMOTED.contains(code);
    }

    /** Whether the user lacks a right. Inside scripts that has no code of its own. */
    public boolean isMissingRight() {
        return code.equals("NOPERM")
                || text.contains("ACL failure")
                || text.startsWith("The user executing the script")
                || text.startsWith("ERR The user executing the script");
    }
}
