package io.github.lockstarter.etcd;

import com.google.protobuf.ByteString;
import io.github.lockstarter.spi.SignalListener;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

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
        return message(fingerprint(token), key);
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

    /** As {@link io.github.lockstarter.spi.LockToken#fingerprint}, of a stored token. */
    private static String fingerprint(String token) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(token.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-1", e);
        }
    }
}
