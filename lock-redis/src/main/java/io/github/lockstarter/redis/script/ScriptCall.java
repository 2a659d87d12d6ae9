package io.github.lockstarter.redis.script;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.output.ValueListOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/**
 * One execution of a script, ready to be sent as often as needed.
 *
 * @param <T> type of the script's reply
 */
public final class ScriptCall<T> {

    /** In place of an argument that is absent, where another one follows. */
    static final String ABSENT = "";

    private final LockScript script;
    private final Supplier<CommandOutput<String, String, T>> output;
    private final String[] keys;
    private final String[] arguments;

    private ScriptCall(
            LockScript script, Supplier<CommandOutput<String, String, T>> output, String[] keys, String[] arguments) {
        this.script = script;
        this.output = output;
        this.keys = keys;
        this.arguments = arguments;
    }

    /** A call of a script that returns a status. */
    static ScriptCall<Long> ofStatus(LockScript script, String[] keys, String... arguments) {
        return new ScriptCall<>(script, () -> new IntegerOutput<>(StringCodec.UTF8), keys, arguments);
    }

    /** A call of a script that returns numbers, texts and lists: a list of them, or one, as a list of one. */
    static ScriptCall<List<Object>> ofList(LockScript script, String[] keys, String... arguments) {
        return new ScriptCall<>(script, () -> new NestedMultiOutput<>(StringCodec.UTF8), keys, arguments);
    }

    /** A call of a script that returns texts. */
    static ScriptCall<List<String>> ofTexts(LockScript script, String[] keys, String... arguments) {
        return new ScriptCall<>(script, () -> new ValueListOutput<>(StringCodec.UTF8), keys, arguments);
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
    public AsyncCommand<String, String, T> bySha() {
        return command(CommandType.EVALSHA, script.sha());
    }

    /** The long form, which teaches the server the script. */
    public AsyncCommand<String, String, T> byText() {
        return command(CommandType.EVAL, script.text());
    }

    private AsyncCommand<String, String, T> command(CommandType type, String program) {
        return new AsyncCommand<>(new Command<>(type, output.get(), input(program)));
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

    /** Each argument costs the server time: those absent at the end are not sent. */
    static String[] trimmed(String... arguments) {
        int present = arguments.length;
        while (arguments[present - 1].isEmpty()) {
            present--;
        }
        return present == arguments.length ? arguments : Arrays.copyOf(arguments, present);
    }
}
