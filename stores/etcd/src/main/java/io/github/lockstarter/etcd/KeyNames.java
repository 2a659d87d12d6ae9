package io.github.lockstarter.etcd;

import com.google.protobuf.ByteString;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The names under which things are stored. Different locks never share a name: what may have any length and any
 * characters is at the end of a name, or has its length before it. A percent sign of a key, and each unpaired
 * surrogate, which UTF-8 cannot express, is stored as a percent sign and four hexadecimal digits. So no key is stored
 * with the {@code %p} that precedes the number of a slot. Immutable.
 */
final class KeyNames {

    private final String prefix;

    KeyNames(String prefix) {
        this.prefix = prefix;
    }

    /** The lock. */
    ByteString lock(String key) {
        return ByteString.copyFromUtf8(prefix + "lock:" + encoded(key));
    }

    /** A slot of the lock, of which the first has the name of the lock itself. */
    ByteString slot(String key, int slot) {
        return slot == 0 ? lock(key) : furtherSlots(key).concat(ByteString.copyFromUtf8(Integer.toString(slot)));
    }

    /** The slots of so many permits. */
    List<ByteString> slots(String key, int permits) {
        return IntStream.range(0, permits).mapToObj(slot -> slot(key, slot)).toList();
    }

    /** What the names of all slots but the first begin with. */
    ByteString furtherSlots(String key) {
        return lock(key).concat(ByteString.copyFromUtf8("%p"));
    }

    /** What is added to revisions to make fencing tokens. */
    ByteString fencingOffset() {
        return ByteString.copyFromUtf8(prefix + "fence");
    }

    /** Under which nothing is stored: a request to write it is refused where locks are. */
    ByteString probe() {
        return ByteString.copyFromUtf8(prefix + "probe");
    }

    /** What the names of all waiting instances of a lock begin with. */
    ByteString waiters(String key) {
        String encoded = encoded(key);
        return ByteString.copyFromUtf8(prefix + "waiter:" + encoded.length() + ':' + encoded + ':');
    }

    /** One waiting instance. */
    ByteString waiter(String key, String instanceId) {
        return waiters(key).concat(ByteString.copyFromUtf8(instanceId));
    }

    /** What the names of all messages to an instance begin with. */
    ByteString mailbox(String instanceId) {
        return ByteString.copyFromUtf8(prefix + "mail:" + instanceId.length() + ':' + instanceId + ':');
    }

    /** One message to an instance. */
    ByteString mail(String instanceId, long lease) {
        return mailbox(instanceId).concat(ByteString.copyFromUtf8(Long.toHexString(lease)));
    }

    private static String encoded(String key) {
        StringBuilder name = new StringBuilder(key.length());
        key.codePoints().forEach(each -> {
            if (each == '%' || (each >= Character.MIN_SURROGATE && each <= Character.MAX_SURROGATE)) {
                name.append('%').append(HexFormat.of().toHexDigits((char) each));
            } else {
                name.appendCodePoint(each);
            }
        });
        return name.toString();
    }

    /** The first name that is behind all that begin with this one, whose last byte is not the greatest. */
    static ByteString behind(ByteString beginning) {
        int last = beginning.size() - 1;
        byte[] next = {(byte) (beginning.byteAt(last) + 1)};
        return beginning.substring(0, last).concat(ByteString.copyFrom(next));
    }
}
