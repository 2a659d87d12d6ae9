package io.github.lockstarter.stored;

import io.github.lockstarter.etcd.EtcdTexts;
import io.github.lockstarter.redis.KeySpace;
import io.github.lockstarter.spi.StoredKeys;
import io.github.lockstarter.zookeeper.ZooKeeperTexts;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** The texts under which stores and fences store keys, as pinned in a file and as the running JDK computes them. */
final class StoredTexts {

    private static final String FILE = "stored-texts.properties";
    private static final String KEY = ".key";

    private static final StoredKeys DATABASE = new StoredKeys("lock:");
    private static final KeySpace REDIS = new KeySpace("lock:");
    private static final KeySpace CLUSTER = KeySpace.of("lock:", true);

    private static final Map<String, UnaryOperator<String>> STORES = Map.of(
            "database", DATABASE::of,
            "database-slot", key -> DATABASE.of(key, 3),
            "fence", new StoredKeys("")::of,
            "redis", REDIS::lockOf,
            "redis-slot", key -> KeySpace.slotOf(REDIS.lockOf(key), 3),
            "redis-cluster-fence", key -> CLUSTER.fenceOf(CLUSTER.lockOf(key)),
            "zookeeper", ZooKeeperTexts::path,
            "etcd", key -> EtcdTexts.slot(key, 0),
            "etcd-slot", key -> EtcdTexts.slot(key, 3));

    private StoredTexts() {}

    /** By entry and store, such as {@code melting-face.redis}. */
    static SortedMap<String, String> pinned() {
        SortedMap<String, String> texts = new TreeMap<>();
        file().forEach((name, text) -> texts.put((String) name, (String) text));
        texts.keySet().removeIf(name -> name.endsWith(KEY));
        return texts;
    }

    static SortedMap<String, String> computed() {
        SortedMap<String, String> texts = new TreeMap<>();
        file().forEach((name, key) -> {
            String entry = (String) name;
            if (entry.endsWith(KEY)) {
                String beginning = entry.substring(0, entry.length() - KEY.length()) + '.';
                STORES.forEach((store, encoding) -> texts.put(beginning + store, encoding.apply((String) key)));
            }
        });
        return texts;
    }

    private static Properties file() {
        Properties file = new Properties();
        try (Reader reader = new InputStreamReader(
                Objects.requireNonNull(StoredTexts.class.getResourceAsStream(FILE)), StandardCharsets.US_ASCII)) {
            file.load(reader);
        } catch (IOException e) {
            throw new IllegalStateException("Could not read " + FILE, e);
        }
        return file;
    }

    /** Prints each computed text that is not the pinned one, then the version of the JDK. */
    public static void main(String... arguments) {
        SortedMap<String, String> pinned = pinned();
        computed().forEach((name, text) -> {
            if (!text.equals(pinned.get(name))) {
                System.out.println("differs: " + name + '=' + escaped(text));
            }
        });
        System.out.println("compared by " + Runtime.version().feature());
    }

    private static String escaped(String text) {
        StringBuilder ascii = new StringBuilder();
        text.chars()
                .forEach(unit -> ascii.append(
                        unit >= ' ' && unit <= '~' && unit != '\\'
                                ? String.valueOf((char) unit)
                                : "\\u%04X".formatted(unit)));
        return ascii.toString();
    }
}
