package io.github.lockstarter.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.lockstarter.redis.KeySpace;
import io.github.lockstarter.redis.KeySpace.LockKeys;
import io.lettuce.core.cluster.SlotHash;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeyEncodingTests {

    private static final String[] PIECES = {
        "",
        "a",
        "order",
        "42",
        ":",
        "{",
        "}",
        "{}",
        "%",
        "%7B",
        "%u",
        "%uD800",
        "%-",
        "%#",
        "\n",
        "\r",
        "\0",
        "\u0085",
        "\u007f",
        " ",
        "ü",
        "日本",
        "😀",
        "\uD800",
        "\uDC00",
        "\uDBFF",
        ":fence",
        ":waiters",
        "mailbox:",
        "lock:"
    };

    private final KeySpace keySpace = KeySpace.of("lock:", true);

    @Test
    void keepsDistinctKeysApart() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Map<String, String> keysByName = new HashMap<>();
        for (int i = 0; i < 20_000; i++) {
            String key = randomKey(random);
            LockKeys keys = keySpace.keysOf(key);
            assertThat(keysByName.merge(utf8(keys.lock()), key, (before, now) -> before))
                    .as("keys of one Redis key, seed %d", seed)
                    .isEqualTo(key);
            assertThat(KeyEncoding.decode(utf8(nameIn(keys))))
                    .as("decoded, seed %d", seed)
                    .isEqualTo(key);
            assertThat(SlotHash.getSlot(keys.fence()))
                    .as("slot of the fence of %s, seed %d", keys.lock(), seed)
                    .isEqualTo(SlotHash.getSlot(keys.lock()));
            assertThat(SlotHash.getSlot(keys.waiters()))
                    .as("slot of the waiters of %s, seed %d", keys.lock(), seed)
                    .isEqualTo(SlotHash.getSlot(keys.lock()));
            assertThat(keys.lock().getBytes(StandardCharsets.UTF_8).length).isLessThanOrEqualTo(5 + 256 + 2);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "order:42, lock:{order:42}",
        "user 7, lock:{user 7}",
        "größe, lock:{größe}",
        "a{b}c, lock:{a%7Bb%7Dc}",
        "100%, lock:{100%25}",
        "'', lock:{%-}"
    })
    void leavesPlainKeysReadable(String key, String redisKey) {
        assertThat(keySpace.keysOf(key).lock()).isEqualTo(redisKey);
    }

    /** As the scripts take it. */
    private static String nameIn(LockKeys keys) {
        return keys.name().isEmpty()
                ? keys.lock().substring("lock:{".length(), keys.lock().length() - 1)
                : keys.name();
    }

    @Test
    void encodesLineBreaks() {
        assertThat(keySpace.keysOf("a\nb\u0085c").lock()).isEqualTo("lock:{a%0Ab%85c}");
    }

    @Test
    void keepsBrokenUtf16Apart() {
        assertThat(KeyEncoding.encode("\uD800")).isEqualTo("%uD800");
        assertThat(KeyEncoding.encode("\uDC00")).isEqualTo("%uDC00");
        assertThat(KeyEncoding.encode("\uD83D\uDE00")).isEqualTo("\uD83D\uDE00");
    }

    @Test
    void hashesOverlongKeysAndSignalsTheWholeKey() {
        String key = "x".repeat(10_240);
        LockKeys keys = keySpace.keysOf(key);
        assertThat(keys.lock()).matches("lock:\\{%#[0-9a-f]{64}}");
        assertThat(KeyEncoding.decode(keys.name())).isEqualTo(key);
        assertThat(keySpace.keysOf(key + "x").lock()).isNotEqualTo(keys.lock());
    }

    @Test
    void hashesByBytesNotByCharacters() {
        assertThat(keySpace.keysOf("x".repeat(256)).lock()).doesNotContain("%#");
        assertThat(keySpace.keysOf("x".repeat(257)).lock()).contains("%#");
        assertThat(keySpace.keysOf("日".repeat(85)).lock()).doesNotContain("%#");
        assertThat(keySpace.keysOf("日".repeat(86)).lock()).contains("%#");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "%",
                "%4",
                "%41",
                "%u00",
                "%u0041",
                "%zz",
                "a{b",
                "%C2%zz",
                "%uD83D%uDE00",
                "%7b",
                "%#00",
                "%!",
                "%!order:42"
            })
    void refusesWhatItNeverWrites(String payload) {
        assertThatIllegalArgumentException().isThrownBy(() -> KeyEncoding.decode(payload));
    }

    /** As the server returns it. */
    private static String utf8(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }

    private static String randomKey(Random random) {
        StringBuilder key = new StringBuilder();
        for (int pieces = random.nextInt(5); pieces >= 0; pieces--) {
            key.append(PIECES[random.nextInt(PIECES.length)]);
        }
        return random.nextInt(50) == 0 ? key.toString().repeat(1 + random.nextInt(1_000)) : key.toString();
    }
}
