package io.github.lockstarter.etcd;

import com.google.protobuf.ByteString;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.SignalListener;
import java.nio.ByteBuffer;

/** The messages to instances, as they are stored: in UTF-16, which expresses every key. Without state. */
final class Mail {

    private static final String WANTED = "wanted";

    private Mail() {}

    /** Another instance waits for the lock. */
    static ByteString wanted(String key) {
        return message(WANTED, key);
    }

    /** The lock was taken away from the owner with that stored token. */
    static ByteString revoked(String token, String key) {
        return message(LockToken.fingerprintOf(token), key);
    }

    private static ByteString message(String subject, String key) {
        String text = subject + ' ' + key;
        ByteBuffer units = ByteBuffer.allocate(text.length() * Character.BYTES);
        units.asCharBuffer().put(text);
        return ByteString.copyFrom(units);
    }

    static void deliver(ByteString message, SignalListener listener) {
        String text = message.asReadOnlyByteBuffer().asCharBuffer().toString();
        int space = text.indexOf(' ');
        String subject = text.substring(0, Math.max(0, space));
        String key = text.substring(space + 1);
        if (subject.equals(WANTED)) {
            listener.onWanted(key);
        } else {
            listener.onRevoked(key, subject);
        }
    }
}
