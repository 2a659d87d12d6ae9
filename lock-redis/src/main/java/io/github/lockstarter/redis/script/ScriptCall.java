package io.github.lockstarter.redis.script;

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

/**
 * One execution of a script, ready to be sent as often as needed. Its reply is what the script returns, as a list of
 * one where that is no list.
 */
public final class ScriptCall {

    /** In place of an argument that is absent, where another one follows. */
    static final String ABSENT = "";

    private static final int NANOS_PER_MILLISECOND = 1_000_000;

    private final LockScript script;
    private final String[] keys;
    private final String[] arguments;

    /** Arguments that are absent at the end are not sent: each costs the server time. */
    public ScriptCall(LockScript script, String[] keys, String... arguments) {
        this.script = script;
        this.keys = keys;
        int present = arguments.length;
        while (present > 0 && arguments[present - 1].isEmpty()) {
            present--;
        }
        this.arguments = present == arguments.length ? arguments : Arrays.copyOf(arguments, present);
    }

    /** A duration as scripts take it, rounded up: the server must not end a lease before its owner does. */
    public static String millis(Duration duration) {
        boolean isWhole = duration.toNanosPart() % NANOS_PER_MILLISECOND == 0;
        return Long.toString(duration.toMillis() + (isWhole ? 0 : 1));
    }

    /** What it runs. */
    LockScript script() {
        return script;
    }

    /**
     * Whether it may be sent once more, behind commands that were sent after it, when the server does not know the
     * script. Not a renewal, which may bring a lock back: it would, behind the release of its hold.
     */
    boolean mayBeOvertaken() {
        return script != LockScript.RENEW;
    }

    /** What decides which server runs it: the first of its keys. */
    String key() {
        return keys[0];
    }

    /** The short form, for a server that knows the script. */
    public AsyncCommand<String, String, List<Object>> bySha() {
        return command(CommandType.EVALSHA, script.sha());
    }

    /** The long form, which teaches the server the script. */
    public AsyncCommand<String, String, List<Object>> byText() {
        return command(CommandType.EVAL, script.text());
    }

    private AsyncCommand<String, String, List<Object>> command(CommandType type, String program) {
        return new AsyncCommand<>(new Command<>(type, new NestedMultiOutput<>(StringCodec.UTF8), input(program)));
    }

    /** A cluster's client chooses the node by the first key. The rest is faster as bytes than as keys and values. */
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
