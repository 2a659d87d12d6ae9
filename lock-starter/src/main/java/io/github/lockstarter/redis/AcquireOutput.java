package io.github.lockstarter.redis;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Takes the reply of the acquire script: three numbers, and perhaps a marker; or the one number that is short for a grant that
 * nobody waits for.
 */
final class AcquireOutput extends CommandOutput<String, String, @Nullable AcquireReply> {

    private static final int NUMBERS = 3;

    private long @Nullable [] list;
    private int size;

    AcquireOutput() {
        super(StringCodec.UTF8, null);
    }

    @Override
    public void multi(int count) {
        list = new long[NUMBERS];
    }

    @Override
    public void set(long number) {
        long[] numbers = list;
        if (numbers == null) {
            output = new AcquireReply(AcquireReply.GRANTED, number, 0, "");
            return;
        }
        numbers[size] = number;
        size++;
        if (size == NUMBERS) {
            output = new AcquireReply(numbers[0], numbers[1], numbers[2], "");
        }
    }

    /** The marker, after the numbers. Any other text is never the script's: leaves this without a reply. */
    @Override
    public void set(@Nullable ByteBuffer bytes) {
        AcquireReply numbers = output;
        output = bytes == null || numbers == null || size != NUMBERS
                ? null
                : new AcquireReply(numbers.status(), numbers.value(), numbers.number(), codec.decodeValue(bytes));
    }
}
