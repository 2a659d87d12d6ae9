package io.github.lockstarter.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.github.lockstarter.testing.Effort;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class KeyNamesTests {

    private final KeyNames names = new KeyNames("lock:");

    @Test
    void beginWithThePrefix() {
        assertThat(List.of(names.lock("a"), names.fencingOffset(), names.waiter("a", "i"), names.mail("i", 1)))
                .allMatch(name -> name.startsWith(ByteString.copyFromUtf8("lock:")))
                .doesNotHaveDuplicates();
    }

    @Test
    void countNoWaitersOfAnotherKey() {
        List<String> keys = List.of("a", "a:", "a:b", "1:a", "a\u0000", "", ":", "\u9501");
        for (String key : keys) {
            ByteString beginning = names.waiters(key);
            for (String other : keys) {
                assertThat(isWithin(names.waiter(other, "instance"), beginning))
                        .as("a waiter of '%s' among those of '%s'", other, key)
                        .isEqualTo(key.equals(other));
            }
        }
    }

    @Test
    void ofSlotsShareARangeOfTheirOwn() {
        List<ByteString> slots = names.slots("a%p", 1024);

        assertThat(slots).doesNotHaveDuplicates().startsWith(names.lock("a%p"));
        assertThat(slots.subList(1, 1024)).allMatch(name -> isWithin(name, names.furtherSlots("a%p")));
        assertThat(List.of("a%p1", "a", "a1", "a%", "a%p%p1")).noneMatch(key -> slots.contains(names.lock(key)));
    }

    @Test
    void areDistinctForDistinctKeys() {
        String characters = "ab:%p1?0d8\uD800\uD801\uDC00\uDFFF\u9501";
        Random random = new Random(28);
        Map<ByteString, String> keys = new HashMap<>();
        for (int i = 0; i < Effort.of(20_000, 100_000); i++) {
            String key = random.ints(random.nextInt(7), 0, characters.length())
                    .mapToObj(at -> characters.substring(at, at + 1))
                    .collect(Collectors.joining());
            for (ByteString name :
                    List.of(names.lock(key), names.slot(key, 1), names.slot(key, 11), names.waiters(key))) {
                String known = keys.putIfAbsent(name, key);
                assertThat(known == null || known.equals(key))
                        .as("'%s' and '%s' have one name", key, known)
                        .isTrue();
            }
        }
    }

    @Test
    void showOrdinaryKeysAsTheyAre() {
        assertThat(names.lock("\u9501 \uD83D\uDD12:/?").toStringUtf8()).isEqualTo("lock:lock:\u9501 \uD83D\uDD12:/?");
    }

    private static boolean isWithin(ByteString name, ByteString beginning) {
        return ByteString.unsignedLexicographicalComparator().compare(name, beginning) >= 0
                && ByteString.unsignedLexicographicalComparator().compare(name, KeyNames.after(beginning)) < 0;
    }
}
