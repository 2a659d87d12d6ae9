package io.github.lockstarter.redis;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Takes the reply of the acquire script: three numbers, perhaps a marker, and then perhaps the time; or the one number that is
 * short for a grant that nobody waits for.
 */
final class AcquireOutput extends CommandOutput<String, String, @Nullable AcquireReply> {

    private static final int NUMBERS = 3;

    private long @Nullable [] list;
    private int size;
    private boolean marked;

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
            output = new AcquireReply(AcquireReply.GRANTED, number, 0, "", OptionalLong.empty());
        } else if (marked) {
            setTime(number);
        } else {
            numbers[size] = number;
            size++;
            if (size == NUMBERS) {
                output = new AcquireReply(numbers[0], numbers[1], numbers[2], "", OptionalLong.empty());
            }
        }
    }

    private void setTime(long micros) {
        AcquireReply untimed = output;
        output = untimed == null
                ? null
                : new AcquireReply(
                        untimed.status(), untimed.value(), untimed.number(), untimed.marker(), OptionalLong.of(micros));
    }

    /** The marker, after the numbers. Any other text is never the script's: leaves this without a reply. */
    @Override
    public void set(@Nullable ByteBuffer bytes) {
        AcquireReply numbers = output;
        marked = true;
        output = bytes == null || numbers == null || size != NUMBERS
                ? null
                : new AcquireReply(
                        numbers.status(),
                        numbers.value(),
                        numbers.number(),
                        codec.decodeValue(bytes),
                        OptionalLong.empty());
    }
}
