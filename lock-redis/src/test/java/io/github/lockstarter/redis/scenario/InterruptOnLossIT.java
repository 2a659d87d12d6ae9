package io.github.lockstarter.redis.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.jvm.ChildJvm;
import io.github.lockstarter.kit.jvm.Jdks;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.testing.BlockingWork;
import io.github.lockstarter.testing.Effort;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The server is frozen for longer than the lease, and the loss ends the work that blocks under the lock. */
class InterruptOnLossIT extends RedisScenario {

    private final RedisStore store = new RedisStore(server().uri());
    private final ClockedEngine application = new ClockedEngine(store.connect(), Application.settings(LONG_LEASE));

    @AfterEach
    void close() {
        server().resume();
        application.close();
        store.close();
    }

    @ParameterizedTest
    @EnumSource
    void endsWorkWhileTheServerIsFrozen(BlockingWork work) {
        LockRequest interrupted = request.onLost(OnLost.INTERRUPT);
        LockLostException loss = catchThrowableOfType(
                LockLostException.class, () -> application.locks().execute(interrupted, () -> {
                    freezeForLongerThanTheLease();
                    work.run();
                }));

        assertThat(loss.getSuppressed())
                .<Object>extracting(Object::getClass)
                .containsExactlyElementsOf(work.thrown().stream().toList());
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        server().resume();
        redis().del(lockKey); // the clock of the server did not move
        try (LockHandle next = newApplication().locks().acquire(request)) {
            next.ensureHeld();
        }
    }

    /** The control: the work goes on, and the loss is thrown at its end. */
    @Test
    void doesNotEndOtherWorkWhileTheServerIsFrozen() {
        assertThatThrownBy(() -> application.locks().execute(request, () -> {
                    freezeForLongerThanTheLease();
                    assertThat(new CountDownLatch(1).await(Patience.MOMENT_MILLIS, TimeUnit.MILLISECONDS))
                            .isFalse();
                }))
                .isInstanceOf(LockLostException.class)
                .hasNoSuppressedExceptions();
        server().resume();
        redis().del(lockKey);
    }

    private void freezeForLongerThanTheLease() {
        server().pause();
        application.pass(LONG_LEASE);
    }

    /** They end a read from a socket, too. On the newest JDK of this machine. */
    @Test
    @Tag(Effort.FULL)
    void endsTheWorkOfVirtualThreadsWhileTheServerIsFrozen() {
        Path home = Jdks.newest();
        assumeThat(Jdks.featureOf(home)).as("JDK with virtual threads").isGreaterThanOrEqualTo(21);
        String port = Integer.toString(server().port());
        try (ChildJvm jvm = ChildJvm.start(home, List.of(), InterruptedJvm.class, port, key)) {
            jvm.awaitLine("all hold their locks"::equals, Patience.TIME);
            server().pause();
            for (String expected : List.of(
                    "SLEEPING: lost [InterruptedException], flag false",
                    "READING: lost [InterruptedIOException], flag false",
                    "SPINNING: lost [], flag false",
                    "SOCKET: lost [SocketException], flag false")) {
                String name = expected.substring(0, expected.indexOf(':'));
                assertThat(jvm.awaitLine(line -> line.startsWith(name), Patience.TIME))
                        .isEqualTo(expected);
            }
        }
        server().resume();
    }
}
