package io.github.lockstarter;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Base64;
import java.util.regex.Pattern;

/**
 * A lock on its way from one instance to another: {@link LockHandle#detach} makes it, {@link LockOperations#attach}
 * uses it, once. Immutable.
 *
 * <p>A program with the {@link #text} can attach or release the lock: send it as you would send a password, and do not
 * log it. {@link #toString} hides the secret.
 *
 * @param name logical name of the detached lock
 * @param key key
 * @param token secret that has the lock
 * @param fencingToken smaller than that of the hold which attaches the lock
 */
public record LockTicket(String name, String key, String token, long fencingToken) {

    private static final int VERSION = 1;

    /** Form of the tokens that {@link LockHandle#detach} makes: the instance, a number and the owner since when. */
    private static final Pattern TOKEN =
            Pattern.compile("[0-9a-f]{32}:[1-9][0-9]{0,18}(?:\\|[0-9]{1,15} [ -~&&[^:|]]{0,81})?");

    /** The fencing token of the hold that attaches the lock is greater, and below 2<sup>53</sup>. */
    private static final long MAX_FENCING_TOKEN = (1L << 53) - 2;

    /**
     * Checks the form, so that no text passes for the token of another lock.
     *
     * @param name name
     * @param key key
     * @param token secret
     * @param fencingToken fencing token
     * @throws IllegalArgumentException when no {@link LockHandle#detach} made this token or fencing token
     */
    public LockTicket {
        if (!TOKEN.matcher(token).matches() || fencingToken < 1 || fencingToken > MAX_FENCING_TOKEN) {
            throw new IllegalArgumentException("The token of this lock ticket has another form than those of detached"
                    + " locks; make tickets by LockHandle.detach() and LockTicket.of() only");
        }
    }

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
