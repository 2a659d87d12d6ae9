package io.github.lockstarter.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LockAcquirerTests {

    @Test
    void forgetsTheOldestOfManyBusyKeysOnly() {
        Set<String> busy = LockAcquirer.busyKeys();

        IntStream.rangeClosed(0, 10_000).forEach(i -> busy.add("key" + i));

        assertThat(busy).hasSize(10_000).contains("key1", "key10000").doesNotContain("key0");
    }
}
