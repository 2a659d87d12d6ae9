package io.github.lockstarter;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Base64;

/**
 * A lock on its way from one instance to another: {@link LockHandle#detach} makes it, {@link LockOperations#attach}
 * uses it, once. Immutable.
 *
 * <p>Whoever knows the {@link #text} can attach or release the lock: send it as you would send a password, and do not
 * log it. {@link #toString} hides the secret.
 *
 * @param name logical name of the detached lock
 * @param key key
 * @param token secret that has the lock
 * @param fencingToken smaller than that of the hold which attaches the lock
 */
public record LockTicket(String name, String key, String token, long fencingToken) {

    private static final int VERSION = 1;

    /**
     * {@return the ticket with this text}
     *
     * @param text {@link #text} of a ticket
     * @throws IllegalArgumentException when it is not a ticket, or of another version of this library
     */
    public static LockTicket of(String text) {
        try (DataInputStream in = new DataInputStream(
                new ByteArrayInputStream(Base64.getUrlDecoder().decode(text)))) {
            if (in.readByte() == VERSION) {
                return new LockTicket(in.readUTF(), in.readUTF(), in.readUTF(), in.readLong());
            }
        } catch (IOException | IllegalArgumentException e) {
            // The message must not contain the text, which may be most of a ticket.
        }
        throw new IllegalArgumentException("This text is no lock ticket, or one of another version of the lock client;"
                + " pass on what LockTicket.text() returned, unchanged");
    }

    /** {@return the ticket as letters, digits, {@code -} and {@code _}, for a message, a header or a URL} */
    public String text() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            out.writeUTF(name);
            out.writeUTF(key);
            out.writeUTF(token);
            out.writeLong(fencingToken);
        } catch (IOException e) {
            throw new UncheckedIOException("An array takes all bytes", e);
        }
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.toByteArray());
    }

    /** Hides the secret. */
    @Override
    public String toString() {
        return "LockTicket[fencing token " + fencingToken + ']';
    }
}
