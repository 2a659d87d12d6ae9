package io.github.lockstarter.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class StoredKeysTests {

    private final StoredKeys keys = new StoredKeys("lock:");

    @Test
    void keepsAReadableKeyAsItIs() {
        assertThat(keys.of("order:42")).isEqualTo("lock:order:42");
        assertThat(keys.of("Größe 锁 🔒 {a}%")).isEqualTo("lock:Größe 锁 🔒 {a}%");
        assertThat(keys.of("x".repeat(250))).isEqualTo("lock:" + "x".repeat(250));
    }

    @Test
    void storesALongKeyAsItsReadableBeginningAndAHash() {
        String stored = keys.of("x".repeat(251));

        assertThat(stored).startsWith("lock:" + "x".repeat(100)).matches(".*%[0-9a-f]{64}");
        assertThat(keys.of("🔒".repeat(16_384 / 2))).hasSizeLessThanOrEqualTo(StoredKeys.LONGEST);
    }

    @Test
    void storesDifferentKeysUnderDifferentNames() {
        String hashed = keys.of("a\u0000").substring("lock:".length());
        List<String> odd = List.of(
                "a",
                "a ",
                "a\n",
                "a\u0000",
                "a\ud800",
                "a\ud801",
                "a?",
                "A",
                hashed,
                "x".repeat(16_384),
                "x".repeat(16_383) + "y");

        Set<String> stored = odd.stream().map(keys::of).collect(Collectors.toSet());

        assertThat(stored).hasSameSizeAs(odd).noneMatch(text -> text.endsWith(" ") || text.indexOf('\u0000') >= 0);
    }

    @Test
    void storesEachSlotUnderANameOfItsOwn() {
        List<String> stored = new ArrayList<>();
        for (String key :
                List.of("a", "a%3", "a\u0000", "x".repeat(16_384), "x".repeat(16_383) + "y", "%p", "🔒".repeat(200))) {
            List<String> slots = keys.of(key, Slots.first(1024));
            assertThat(slots.get(0)).isEqualTo(keys.of(key));
            assertThat(keys.of(key, Slots.one(1023))).containsExactly(slots.get(1023));
            stored.addAll(slots);
        }

        assertThat(stored).doesNotHaveDuplicates().allMatch(text -> text.length() <= StoredKeys.LONGEST);
        String third = keys.of("a", 3);
        assertThat(third).startsWith("lock:a%3%");
        assertThat(stored).doesNotContain(keys.of(third.substring("lock:".length())), new StoredKeys("").of(third));
    }

    @Test
    void storesNoKeyUnderTheReservedName() {
        StoredKeys bare = new StoredKeys("");

        assertThat(bare.of(StoredKeys.FLOOR)).isNotEqualTo(StoredKeys.FLOOR);
        assertThat(bare.of("")).isNotEmpty();
    }
}
