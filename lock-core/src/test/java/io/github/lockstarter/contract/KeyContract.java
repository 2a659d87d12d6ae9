package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Different keys are different locks, whatever their characters. */
public abstract class KeyContract extends BackendContract {

    /** Outlives a test that holds hundreds of locks on a busy machine. */
    private static final Duration LONG_LEASE = Duration.ofMinutes(2);

    private static final String LONG_KEY = "k".repeat(10_240);

    /** Of three bytes for each character in UTF-8. */
    private static final String LONG_WIDE_KEY = "锁".repeat(16_000);

    private static final List<String> AWKWARD = List.of(
            "a",
            "A",
            " a",
            "a ",
            "a a",
            "{a}",
            "{a",
            "a}",
            "{}a",
            "{{a}}",
            "a:b",
            "a%3Ab",
            "a%b",
            "a%",
            "%25",
            "%",
            ":",
            "::",
            "{",
            "}",
            "{}",
            "}{",
            "a:fence",
            "a:waiters",
            "{a}:fence",
            "a\n",
            "a\nb",
            "a\r\nb",
            "a\u0000b",
            "a\tb",
            "ä",
            "a\u0308",
            "锁",
            "🔒",
            "\uD83E\uDEE0",
            "\uE000",
            "\uFFFF",
            "\u202Ea",
            "*",
            "?",
            "[a]",
            "\\",
            "\"",
            "'",
            "null",
            "/",
            "a/b//c/",
            ".",
            "..",
            "fence",
            "waiter:1:a:",
            "\uD800",
            "\uD801",
            "%d800",
            LONG_WIDE_KEY + "a",
            LONG_WIDE_KEY + "A",
            LONG_KEY + "x",
            LONG_KEY + "y",
            LONG_KEY);

    public KeyContract(Supplier<? extends LockStore> opening) {
        super(opening);
    }

    @Test
    void locksAwkwardKeysIndependently() {
        assertSideBySide(AWKWARD.stream().map(suffix -> key + suffix).toList());
        assertSideBySide(AWKWARD.stream().map(prefix -> prefix + key).toList());
    }

    @Test
    void locksRandomKeysOfAwkwardCharactersIndependently() {
        long seed = System.nanoTime();
        System.out.println("Seed of the random keys: " + seed);
        Random random = new Random(seed);
        String alphabet = "a:{}%\n1 ä";
        Set<String> keys = new TreeSet<>();
        while (keys.size() < Effort.of(60, 300)) {
            keys.add(key
                    + IntStream.range(0, 1 + random.nextInt(6))
                            .mapToObj(i -> String.valueOf(alphabet.charAt(random.nextInt(alphabet.length()))))
                            .collect(Collectors.joining()));
        }

        assertSideBySide(keys);
    }

    /** Several keys at a time: a store may take long for one command. */
    private void assertSideBySide(Collection<String> keys) {
        List<SpiHold> holds = keys.parallelStream()
                .map(awkward -> alice.hold(awkward, LONG_LEASE))
                .toList();
        holds.parallelStream().forEach(hold -> {
            assertThat(bob.tryOnce(hold.key(), bob.newToken(), LONG_LEASE)).isInstanceOf(AcquireResult.Contended.class);
            assertThat(hold.renew(LONG_LEASE)).isInstanceOf(RenewResult.Renewed.class);
        });
        holds.parallelStream().forEach(hold -> {
            hold.release();
            bob.hold(hold.key(), LEASE).release();
        });
    }
}
