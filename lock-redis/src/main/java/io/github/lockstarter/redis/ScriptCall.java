package io.github.lockstarter.redis;

import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** A script call; may be sent several times. Its reply is the script's list, or a list with its single value. */
final class ScriptCall {

    static final String ABSENT = "";

    private static final int NANOS_PER_MILLISECOND = 1_000_000;

    private final LockScript script;
    private final String[] keys;
    private final String[] arguments;

    /** Drops absent trailing arguments: each costs server time. */
    public ScriptCall(LockScript script, String[] keys, String... arguments) {
        this.script = script;
        this.keys = keys;
        int present = arguments.length;
        while (present > 0 && arguments[present - 1].isEmpty()) {
            present--;
        }
        this.arguments = present == arguments.length ? arguments : Arrays.copyOf(arguments, present);
    }

    /** Rounds up: the server must not end a lease before its owner does. */
    public static String millis(Duration duration) {
        boolean whole = duration.toNanosPart() % NANOS_PER_MILLISECOND == 0;
        return Long.toString(duration.toMillis() + (whole ? 0 : 1));
    }

    LockScript script() {
        return script;
    }

    /**
     * Whether the call may be resent after {@code NOSCRIPT}, behind later commands. A renewal may not: it could restore
     * a lock after its release.
     */
    boolean mayBeOvertaken() {
        return script != LockScript.RENEW;
    }

    String key() {
        return keys[0];
    }

    /** The channel of an instance. */
    String mailboxOf(String instance) {
        return KeySpace.mailboxOf(key().substring(0, key().indexOf('{')), instance);
    }

    /**
     * Of a release: ends the wait of an instance without subscribers, so that the next one is signalled. Empty if
     * {@code PUBLISH} does not count them all.
     *
     * @param i number of the released lock
     */
    Optional<ScriptCall> withoutWaiter(int i, String instance) {
        boolean ofReader = script == LockScript.RELEASE_READ;
        int count = ofReader ? 1 : keys.length / 2;
        String ends = argument(2 * count + 1);
        return argument(2 * count).isEmpty()
                ? Optional.of(new ScriptCall(
                        LockScript.RELEASE,
                        ofReader
                                ? new String[] {keys[keys.length - 2], keys[keys.length - 1]}
                                : new String[] {keys[i], keys[count + i]},
                        instance + ':', // no token, so that it frees nothing
                        argument(2 * i + 1),
                        ABSENT,
                        ends.startsWith(ReleaseScript.ENDS) ? ends : ReleaseScript.ENDS + Waiting.NEW))
                : Optional.empty();
    }

    private String argument(int i) {
        return i < arguments.length ? arguments[i] : ABSENT;
    }

    public AsyncCommand<String, String, List<Object>> bySha() {
        return command(CommandType.EVALSHA, script.sha());
    }

    public AsyncCommand<String, String, List<Object>> byText() {
        return command(CommandType.EVAL, script.text());
    }

    private AsyncCommand<String, String, List<Object>> command(CommandType type, String program) {
        return new AsyncCommand<>(new Command<>(type, new NestedMultiOutput<>(StringCodec.UTF8), input(program)));
    }

    /** Cluster clients route by the first key. The others encode faster as bytes than as keys and values. */
    private CommandArgs<String, String> input(String program) {
        CommandArgs<String, String> input = new CommandArgs<>(StringCodec.UTF8)
                .add(program)
                .add(keys.length)
                .addKey(keys[0]);
        for (int i = 1; i < keys.length; i++) {
            input.add(keys[i].getBytes(StandardCharsets.UTF_8));
        }
        for (String argument : arguments) {
            input.add(argument.getBytes(StandardCharsets.UTF_8));
        }
        return input;
    }
}
