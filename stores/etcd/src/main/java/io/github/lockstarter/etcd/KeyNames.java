package io.github.lockstarter.etcd;

import com.google.protobuf.ByteString;
import io.github.lockstarter.spi.StoredKeys;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The names of stored keys. Names of different locks never collide: a part of any length and content is at the end of a
 * name, or preceded by its length. A key is stored as {@link StoredKeys} encodes it, with {@code %25} for each percent
 * sign; so none contains the {@code %p} before the number of a slot. Immutable.
 */
final class KeyNames {

    private static final StoredKeys KEYS = new StoredKeys("");

    private final String prefix;

    KeyNames(String prefix) {
        this.prefix = prefix;
    }

    ByteString lock(String key) {
        return ByteString.copyFromUtf8(prefix + "lock:" + encoded(key));
    }

    /** The first slot has the name of the lock. */
    ByteString slot(String key, int slot) {
        return slot == 0 ? lock(key) : furtherSlots(key).concat(ByteString.copyFromUtf8(Integer.toString(slot)));
    }

    List<ByteString> slots(String key, int permits) {
        return IntStream.range(0, permits).mapToObj(slot -> slot(key, slot)).toList();
    }

    /** Prefix of all slots but the first. */
    ByteString furtherSlots(String key) {
        return lock(key).concat(ByteString.copyFromUtf8("%p"));
    }

    ByteString fencingOffset() {
        return ByteString.copyFromUtf8(prefix + "fence");
    }

    /** Never stored: a request to write it is refused where locks are. */
    ByteString probe() {
        return ByteString.copyFromUtf8(prefix + "probe");
    }

    ByteString waiters(String key) {
        String encoded = encoded(key);
        return ByteString.copyFromUtf8(prefix + "waiter:" + encoded.length() + ':' + encoded + ':');
    }

    ByteString waiter(String key, String instanceId) {
        return waiters(key).concat(ByteString.copyFromUtf8(instanceId));
    }

    ByteString mailbox(String instanceId) {
        return ByteString.copyFromUtf8(prefix + "mail:" + instanceId.length() + ':' + instanceId + ':');
    }

    ByteString mail(String instanceId, long lease) {
        return mailbox(instanceId).concat(ByteString.copyFromUtf8(Long.toHexString(lease)));
    }

    private static String encoded(String key) {
        return KEYS.of(key).replace("%", "%25");
    }

    /** The first name after all names with this prefix, whose last byte must not be 0xff. */
    static ByteString after(ByteString prefix) {
        int last = prefix.size() - 1;
        byte[] next = {(byte) (prefix.byteAt(last) + 1)};
        return prefix.substring(0, last).concat(ByteString.copyFrom(next));
    }
}
