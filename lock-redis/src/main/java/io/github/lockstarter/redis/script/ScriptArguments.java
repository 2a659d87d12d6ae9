package io.github.lockstarter.redis.script;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of a call of a script, written from their texts. Lettuce's own make an object of each argument, which
 * is a tenth of what a caller allocates.
 */
final class ScriptArguments extends CommandArgs<String, String> {

    private static final int PROGRAM_AND_NUMBER_OF_KEYS = 2;
    private static final int DECIMAL = 10;

    private final String program;
    private final String[] keys;
    private final String[] arguments;

    ScriptArguments(String program, String[] keys, String[] arguments) {
        super(StringCodec.UTF8);
        this.program = program;
        this.keys = keys;
        this.arguments = arguments;
    }

    @Override
    public int count() {
        return PROGRAM_AND_NUMBER_OF_KEYS + keys.length + arguments.length;
    }

    @Override
    public void encode(ByteBuf target) {
        write(target, program);
        write(target, Integer.toString(keys.length));
        for (String key : keys) {
            write(target, key);
        }
        for (String argument : arguments) {
            write(target, argument);
        }
    }

    /** As a bulk string of the protocol. */
    private static void write(ByteBuf target, String text) {
        target.writeByte('$');
        writeNumber(target, ByteBufUtil.utf8Bytes(text));
        endLine(target);
        ByteBufUtil.writeUtf8(target, text);
        endLine(target);
    }

    private static void writeNumber(ByteBuf target, int number) {
        if (number >= DECIMAL) {
            writeNumber(target, number / DECIMAL);
        }
        target.writeByte('0' + number % DECIMAL);
    }

    private static void endLine(ByteBuf target) {
        target.writeByte('\r').writeByte('\n');
    }

    /** By which a cluster's client chooses the node. */
    @Override
    public @Nullable ByteBuffer getFirstEncodedKey() {
        return keys.length == 0 ? null : ByteBuffer.wrap(keys[0].getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String toCommandString() {
        String all = program + ' ' + keys.length + ' ' + String.join(" ", keys);
        return arguments.length == 0 ? all : all + ' ' + String.join(" ", arguments);
    }

    /** Without the texts, which have lock tokens. */
    @Override
    public String toString() {
        return "ScriptArguments[" + keys.length + " keys, " + arguments.length + " arguments]";
    }
}
