package io.github.lockstarter.simulation.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import party.iroiro.luajava.Lua;
import party.iroiro.luajava.LuaException;
import party.iroiro.luajava.lua51.Lua51;

/**
 * Runs scripts as Redis 7 does, by Lua 5.1, for one server at a time: the values of Lua and of replies turn into each
 * other by the same rules. Scripts see no address of this process and no clock. All servers of a simulation share one;
 * it keeps compiled scripts only, so one may serve one simulation after another. Not thread-safe. Close it.
 *
 * <p>Not modelled: NUL in texts, and characters outside of the basic plane; the libraries of Redis for JSON and bits;
 * the limit of the time of a script.
 */
public final class LuaInterpreter implements AutoCloseable {

    /** Operations of a script on the server that runs it. */
    interface Server {

        /** Executes a command of a script. */
        Reply call(List<String> command);

        /** Whether later writes of the script are also for replicas and the append-only file. */
        void replicate(boolean on);

        /** The text of a table in a script: different in each process, and after each SCRIPT FLUSH. */
        String address();
    }

    private final UnaryOperator<String> edit;
    private final Lua lua = new Lua51();
    private final Map<String, Integer> compiled = new HashMap<>();
    private final int runner;
    private @Nullable Server server;
    private @Nullable Throwable thrown;

    /** Runs scripts as they are. */
    public LuaInterpreter() {
        this(UnaryOperator.identity());
    }

    /** Runs another text in place of each script, under the name of the script that was sent. */
    public LuaInterpreter(UnaryOperator<String> edit) {
        this.edit = edit;
        lua.openLibraries();
        load(read("sandbox.lua"), "@sandbox");
        lua.push(this::call);
        lua.push(this::replicate);
        lua.push(this::hash);
        lua.pCall(3, 1);
        runner = lua.ref();
    }

    /** The digest of a script. */
    static String sha(String text) {
        try {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-1", e);
        }
    }

    /** Compiles a script, unless it was; says why that is not possible, or null. */
    @Nullable
    String compile(String sha, String text) {
        if (!compiled.containsKey(sha)) {
            try {
                load(edit.apply(text), "@user_script");
            } catch (LuaException wrong) {
                return wrong.getMessage();
            }
            compiled.put(sha, lua.ref());
        }
        return null;
    }

    /** Runs a script that was compiled. */
    Reply run(String sha, List<String> keys, List<String> arguments, Server caller) {
        server = caller;
        thrown = null;
        lua.refGet(runner);
        lua.refGet(Objects.requireNonNull(compiled.get(sha)));
        lua.push(sha);
        push(keys);
        push(arguments);
        lua.push(caller.address());
        lua.pCall(5, 1);
        Reply reply = toReply();
        lua.pop(1);
        if (thrown != null) {
            throw new IllegalStateException("A script called a command that is not modelled", thrown);
        }
        return reply;
    }

    @Override
    public void close() {
        lua.close();
    }

    private int call(Lua ignored) {
        try {
            List<String> command = new ArrayList<>();
            for (int i = 1; i <= lua.getTop(); i++) {
                switch (lua.type(i)) {
                    case STRING -> command.add(Objects.requireNonNull(lua.toString(i)));
                    case NUMBER -> command.add(Digits.of(lua.toNumber(i)));
                    default -> {
                        push(new Reply.Failure("ERR Lua redis lib command arguments must be strings or integers"));
                        return 1;
                    }
                }
            }
            push(Objects.requireNonNull(server).call(command));
        } catch (RuntimeException | Error e) {
            thrown = e;
            push(new Reply.Failure("ERR " + e));
        }
        return 1;
    }

    private int replicate(Lua ignored) {
        Objects.requireNonNull(server).replicate(lua.toNumber(1) != 0);
        return 0;
    }

    private int hash(Lua ignored) {
        lua.push(sha(Objects.requireNonNull(lua.toString(1))));
        return 1;
    }

    private void load(String text, String name) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        ByteBuffer buffer = ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
        lua.load(buffer, name);
    }

    private static String read(String file) {
        try (InputStream resource = LuaInterpreter.class.getResourceAsStream(file)) {
            return new String(Objects.requireNonNull(resource).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void push(List<String> texts) {
        lua.createTable(texts.size(), 0);
        for (int i = 0; i < texts.size(); i++) {
            lua.push(texts.get(i));
            lua.rawSetI(-2, i + 1);
        }
    }

    private void push(Reply reply) {
        if (reply instanceof Reply.Text text) {
            lua.push(text.value());
        } else if (reply instanceof Reply.Numeric number) {
            lua.push((Number) (double) number.value());
        } else if (reply instanceof Reply.Status status) {
            pushField("ok", status.text());
        } else if (reply instanceof Reply.Failure failure) {
            pushField("err", failure.text());
        } else if (reply instanceof Reply.Several several) {
            lua.createTable(several.parts().size(), 0);
            for (int i = 0; i < several.parts().size(); i++) {
                push(several.parts().get(i));
                lua.rawSetI(-2, i + 1);
            }
        } else {
            lua.push(false);
        }
    }

    private void pushField(String name, String text) {
        lua.createTable(0, 1);
        lua.push(text);
        lua.setField(-2, name);
    }

    /** Converts the top of the stack, which stays there. */
    private Reply toReply() {
        return switch (lua.type(-1)) {
            case STRING -> new Reply.Text(Objects.requireNonNull(lua.toString(-1)));
            case NUMBER -> new Reply.Numeric(Digits.truncated(lua.toNumber(-1)));
            case BOOLEAN -> lua.toBoolean(-1) ? new Reply.Numeric(1) : Reply.NIL;
            case TABLE -> ofTable();
            default -> Reply.NIL;
        };
    }

    private Reply ofTable() {
        String failure = field("err");
        if (failure != null) {
            return new Reply.Failure(failure.strip());
        }
        String status = field("ok");
        if (status != null) {
            return new Reply.Status(status);
        }
        List<Reply> parts = new ArrayList<>();
        for (int i = 1; ; i++) {
            lua.rawGetI(-1, i);
            boolean end = lua.isNil(-1);
            if (!end) {
                parts.add(toReply());
            }
            lua.pop(1);
            if (end) {
                return new Reply.Several(parts);
            }
        }
    }

    private @Nullable String field(String name) {
        lua.getField(-1, name);
        String text = lua.type(-1) == Lua.LuaType.STRING ? lua.toString(-1) : null;
        lua.pop(1);
        return text;
    }
}
