package io.github.lockstarter.redis.script;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Takes the reply of the acquire script: three numbers, perhaps a marker and a holder, and then perhaps the time; or
 * the one number that is short for a grant that nobody waits for.
 */
final class AcquireOutput extends CommandOutput<String, String, @Nullable AcquireReply> {

    private static final int NUMBERS = 3;
    private static final int TEXTS = 2;

    private long @Nullable [] list;
    private int size;
    private int texts;

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
        AcquireReply known = output;
        if (numbers == null) {
            output = new AcquireReply(AcquireReply.GRANTED, number, 0);
        } else if (texts > 0) {
            output = known == null ? null : known.at(number);
        } else {
            numbers[size] = number;
            size++;
            if (size == NUMBERS) {
                output = new AcquireReply(numbers[0], numbers[1], numbers[2]);
            }
        }
    }

    /** The marker, and after it the holder. Any other text is never the script's: leaves this without a reply. */
    @Override
    public void set(@Nullable ByteBuffer bytes) {
        AcquireReply known = output;
        texts++;
        if (bytes == null || known == null || size != NUMBERS || texts > TEXTS) {
            output = null;
        } else {
            String text = codec.decodeValue(bytes);
            output = texts == 1 ? known.marked(text) : known.heldBy(text);
        }
    }
}
