package io.github.lockstarter.simulation.net;

import io.github.lockstarter.simulation.redis.Reply;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The protocol of Redis, RESP 2. */
final class Resp {

    private Resp() {}

    /** The words of an encoded command. */
    static List<String> words(ByteBuf bytes) {
        int count = number(bytes, '*');
        List<String> words = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            int length = number(bytes, '$');
            words.add(bytes.readCharSequence(length, StandardCharsets.UTF_8).toString());
            bytes.skipBytes(2);
        }
        return words;
    }

    private static int number(ByteBuf bytes, char type) {
        if (bytes.readByte() != type) {
            throw new IllegalArgumentException("No " + type + " in front of a number");
        }
        int number = 0;
        for (byte next = bytes.readByte(); next != '\r'; next = bytes.readByte()) {
            number = 10 * number + next - '0';
        }
        bytes.skipBytes(1);
        return number;
    }

    /** An encoded reply. */
    static ByteBuf bytes(Reply reply) {
        ByteBuf bytes = Unpooled.buffer();
        write(reply, bytes);
        return bytes;
    }

    private static void write(Reply reply, ByteBuf bytes) {
        if (reply instanceof Reply.Status status) {
            line('+' + status.text(), bytes);
        } else if (reply instanceof Reply.Failure failure) {
            line('-' + failure.text(), bytes);
        } else if (reply instanceof Reply.Numeric number) {
            line(":" + number.value(), bytes);
        } else if (reply instanceof Reply.Text text) {
            byte[] value = text.value().getBytes(StandardCharsets.UTF_8);
            line("$" + value.length, bytes);
            bytes.writeBytes(value);
            line("", bytes);
        } else if (reply instanceof Reply.Several several) {
            line("*" + several.parts().size(), bytes);
            several.parts().forEach(part -> write(part, bytes));
        } else {
            line("$-1", bytes);
        }
    }

    private static void line(String text, ByteBuf bytes) {
        bytes.writeCharSequence(text, StandardCharsets.UTF_8);
        bytes.writeCharSequence("\r\n", StandardCharsets.UTF_8);
    }
}
