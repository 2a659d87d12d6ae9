package io.github.lockstarter.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import java.util.List;
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

    private static boolean isWithin(ByteString name, ByteString beginning) {
        return ByteString.unsignedLexicographicalComparator().compare(name, beginning) >= 0
                && ByteString.unsignedLexicographicalComparator().compare(name, KeyNames.behind(beginning)) < 0;
    }
}
