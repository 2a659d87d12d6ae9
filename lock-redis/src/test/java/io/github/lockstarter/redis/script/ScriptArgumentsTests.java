package io.github.lockstarter.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Lettuce's own arguments are the reference. */
class ScriptArgumentsTests {

    private static final String PROGRAM = "e0e1f9fabfc9d4800c877a703b823ac0578ff8db";
    private static final String[][] TEXTS = {
        {},
        {"lock:{order:42}"},
        {"lock:{order:42}", "lock:fence", ""},
        {"", "x".repeat(9), "x".repeat(10), "x".repeat(100), "x".repeat(12_345)},
        {"ü", "日本", "😀", "\uD800", "a\uDC00b", "\r\n", "\0", "$3"},
    };

    @Test
    void areWrittenAsTheClientWritesThem() {
        for (String[] keys : TEXTS) {
            for (String[] arguments : TEXTS) {
                ScriptArguments ours = new ScriptArguments(PROGRAM, keys, arguments);
                CommandArgs<String, String> reference = new CommandArgs<>(StringCodec.UTF8)
                        .add(PROGRAM)
                        .add(keys.length)
                        .addKeys(keys)
                        .addValues(arguments);
                assertThat(encoded(ours)).isEqualTo(encoded(reference));
                assertThat(ours.count()).isEqualTo(reference.count());
                assertThat(ours.getFirstEncodedKey()).isEqualTo(reference.getFirstEncodedKey());
            }
        }
    }

    @Test
    void areShownAsTheClientShowsThem() {
        ScriptArguments ours = new ScriptArguments(PROGRAM, new String[] {"a"}, new String[] {"b", "c"});
        assertThat(ours.toCommandString()).isEqualTo(PROGRAM + " 1 a b c");
        assertThat(ours).hasToString("ScriptArguments[1 keys, 2 arguments]");
    }

    private static String encoded(CommandArgs<String, String> arguments) {
        ByteBuf buffer = Unpooled.buffer();
        arguments.encode(buffer);
        return buffer.toString(StandardCharsets.UTF_8);
    }
}
