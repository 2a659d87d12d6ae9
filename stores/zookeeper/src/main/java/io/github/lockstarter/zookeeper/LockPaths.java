package io.github.lockstarter.zookeeper;

import io.github.lockstarter.spi.StoredKeys;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/**
 * Path of a lock's queue: {@code <root>/<key>}, with the key as {@link StoredKeys} encodes it and then in the form of
 * URLs, so that no path has a slash, a dot or another character that ZooKeeper refuses.
 *
 * @param root parent of all queues
 * @param keys texts of the keys
 */
record LockPaths(String root, StoredKeys keys) {

    String directory(String key) {
        String name = URLEncoder.encode(keys.of(key), StandardCharsets.UTF_8);
        return root + '/' + name.replace(".", "%2E"); // "." and ".." are no names
    }
}
