package io.github.lockstarter.autoconfigure.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.testing.WarmUp;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Log messages while a server recovers or is down: one line at the start, and one at the end. */
@ExtendWith(OutputCaptureExtension.class)
@Timeout(300)
class StoreLogIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    @Test
    void logsServerPrefixAndLeasesAtStartup(CapturedOutput output) {
        application().run(context -> assertThat(linesOf(output))
                .singleElement()
                .asString()
                .contains(
                        "INFO",
                        "Distributed locks are kept in Redis at " + address() + ": key prefix lock:",
                        "lease 2s",
                        "max-lease 8s"));
    }

    @Test
    void logsLostDataOnceAndTheEndOfTheRecoveryOnce(CapturedOutput output) {
        application().run(context -> {
            LockTemplate locks = context.getBean(LockTemplate.class);
            locks.acquire("warm-up").close();
            int before = linesOf(output).size();
            REDIS.server().commands().flushall();
            for (int i = 0; i < 3; i++) {
                int number = i;
                assertThat(catchThrowable(() -> locks.tryAcquire("order:" + number)))
                        .isInstanceOf(LockBackendException.class);
            }
            await().atMost(Patience.TIME)
                    .untilAsserted(() -> assertThat(linesOf(output)).hasSize(before + 2));
            locks.acquire("order:1").close();
            assertThat(linesOf(output)).hasSize(before + 2);
            assertThat(linesOf(output).get(before))
                    .contains("WARN")
                    .contains("Redis at " + address() + " lost its data")
                    .containsPattern(
                            "for 8s \\(the grace period, [^)]*\\), until \\d\\d:\\d\\d:\\d\\d(Z|[+-]\\d\\d:\\d\\d), since")
                    .contains("There is nothing to do: after that time free locks");
            assertThat(linesOf(output).get(before + 1)).contains("WARN").contains("grants free locks again");
        });
    }

    @Test
    void logsAnOutageOnceAndItsEndOnce(CapturedOutput output) {
        ApplicationContextRunner impatient = application()
                .withPropertyValues(
                        "distributed-lock.redis.command-timeout=500ms",
                        "distributed-lock.redis.required-at-start=false");
        impatient.run(context -> {
            LockTemplate locks = context.getBean(LockTemplate.class);
            WarmUp.connect(locks, "warm-up");
            int before = await().ignoreExceptions()
                    .until(
                            () -> {
                                locks.acquire("warm-up").close();
                                return linesOf(output);
                            },
                            lines -> !lines.get(lines.size() - 1).contains("unreachable"))
                    .size();
            REDIS.server().pause();
            for (int i = 0; i < 3; i++) {
                int number = i;
                Throwable failure = catchThrowable(() -> locks.tryAcquire("order:" + number));
                assertThat(failure).isInstanceOf(LockBackendException.class);
                assertThat(linesOfTheCausesOf(failure)).hasSizeLessThan(12);
            }
            // A pause of this process, before the server's or after it, is an outage of its own.
            await().untilAsserted(() -> assertThat(linesOf(output)).hasSizeBetween(before + 1, before + 3));
            REDIS.server().resume();
            await().atMost(Patience.TIME).ignoreExceptions().untilAsserted(() -> {
                locks.acquire("order:1").close();
                List<String> lines = linesOf(output);
                assertThat(lines).hasSizeGreaterThan(before).last().asString().contains("reachable again");
                for (int i = before; i < lines.size(); i++) {
                    assertThat(lines.get(i))
                            .contains("WARN", "Redis at " + address())
                            .contains((i - before) % 2 == 0 ? "unreachable" : "reachable again");
                }
            });
        });
    }

    private static List<String> linesOfTheCausesOf(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return text.toString()
                .lines()
                .dropWhile(line -> !line.startsWith("Caused by"))
                .toList();
    }

    /** Lines of the starter itself. */
    private static List<String> linesOf(CapturedOutput output) {
        return output.toString()
                .lines()
                .filter(line -> line.contains("io.github.lockstarter") || line.contains("i.g.l"))
                .filter(line -> line.contains("WARN") || line.contains("INFO"))
                .toList();
    }

    private static String address() {
        return REDIS.server().host() + ":" + REDIS.server().port();
    }

    private static ApplicationContextRunner application() {
        return RedisApplication.on(REDIS.server())
                .withPropertyValues(
                        "distributed-lock.lease=2s",
                        "distributed-lock.max-lease=8s"); // a pause of the machine is shorter
    }
}
