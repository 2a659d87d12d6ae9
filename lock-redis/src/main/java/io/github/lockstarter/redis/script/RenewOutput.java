package io.github.lockstarter.redis.script;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Takes the reply of the scripts that renew: three texts and a number. */
final class RenewOutput extends CommandOutput<String, String, @Nullable RenewReply> {

    private static final int TEXTS = 3;

    private final String[] texts = new String[TEXTS];
    private int size;

    RenewOutput() {
        super(StringCodec.UTF8, null);
    }

    @Override
    public void multi(int count) {}

    @Override
    public void set(@Nullable ByteBuffer bytes) {
        texts[size] = bytes == null ? "" : codec.decodeValue(bytes);
        size++;
    }

    /** The last part. Where it comes too early, this has no reply. */
    @Override
    public void set(long millis) {
        if (size == TEXTS) {
            output = new RenewReply(texts[0], texts[1], texts[2], Duration.ofMillis(millis));
        }
    }
}
