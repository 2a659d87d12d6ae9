package io.github.lockstarter.observe;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import ch.qos.logback.core.read.ListAppender;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.Abandonment;
import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.LockEvent.Refusal;
import io.github.lockstarter.LockEvent.RenewalOutcome;
import io.github.lockstarter.ReleaseOutcome;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.springframework.boot.logging.logback.StructuredLogEncoder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.Environment;
import org.springframework.core.env.StandardEnvironment;

@ExtendWith(OutputCaptureExtension.class)
class LockLogTests {

    private final LockLog log = new LockLog();

    private void renewed(RenewalOutcome outcome) {
        log.onEvent(new LockEvent.Renewed("ship", "order:42", 17, outcome));
    }

    @Test
    void warnsAboutTheFirstFailedRenewalAndTheRecovery(CapturedOutput output) {
        renewed(RenewalOutcome.FAILED);
        renewed(RenewalOutcome.FAILED);
        renewed(RenewalOutcome.FAILED);
        assertThat(output.toString().split("Could not renew lock 'order:42'", -1))
                .hasSize(2);
        assertThat(output).contains("Check the connection to the lock store").doesNotContain("again\n");
        renewed(RenewalOutcome.RENEWED);
        assertThat(output).contains("Renewed lock 'order:42' (fencing token 17) again");
        renewed(RenewalOutcome.FAILED);
        assertThat(output.toString().split("Could not renew lock 'order:42'", -1))
                .hasSize(3);
    }

    @Test
    void forgetsAFailedRenewalWithItsHold(CapturedOutput output) {
        renewed(RenewalOutcome.FAILED);
        log.onEvent(new LockEvent.Released("ship", "order:42", 17, Duration.ofSeconds(1), ReleaseOutcome.RELEASED));
        renewed(RenewalOutcome.RENEWED);
        assertThat(output).doesNotContain("(fencing token 17) again");
    }

    /** Meters have no keys, and the callers' exceptions may be logged nowhere. */
    @Test
    void namesAKeyThatManyCallersGaveUpOnOnceAMinute(CapturedOutput output) {
        AtomicLong now = new AtomicLong();
        LockLog timed = new LockLog(now::get);
        refuse(timed, 25, "tried", Refusal.CONTENDED, false);
        refuse(timed, 25, "failed", Refusal.ERROR, true);
        refuse(timed, 9, "order:77", Refusal.CONTENDED, true);
        for (int i = 0; i < 25; i++) { // a standby leader, which polls
            timed.onEvent(
                    new LockEvent.NotAcquired("leader", "leader", Duration.ofMillis(500), Refusal.CONTENDED, true));
        }
        assertThat(output).doesNotContain("crowded");

        refuse(timed, 16, "order:77", Refusal.CONTENDED, true);
        assertThat(output)
                .containsOnlyOnce("WARN")
                .containsOnlyOnce("Lock 'order:77' is crowded: 10 waits of 1s or more")
                .contains("the last after 5s");

        now.addAndGet(Duration.ofMinutes(1).toNanos());
        refuse(timed, 10, "order:77", Refusal.CONTENDED, true);
        assertThat(output.toString().split("is crowded", -1)).hasSize(3);
    }

    private static void refuse(LockLog log, int callers, String key, Refusal refusal, boolean queued) {
        for (int i = 0; i < callers; i++) {
            log.onEvent(new LockEvent.NotAcquired("ship", key, Duration.ofSeconds(5), refusal, queued));
        }
    }

    @Test
    void addsKeyNameAndFencingTokenToStructuredLogs() {
        Logger logger = (Logger) LoggerFactory.getLogger("io.github.lockstarter");
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try {
            log.onEvent(new LockEvent.Lost("ship", "order:42", 17, Duration.ofSeconds(31), LossCause.MAX_HOLD, 0));
        } finally {
            logger.detachAppender(lines);
        }

        assertThat(lines.list).singleElement().satisfies(line -> assertThat(line.getKeyValuePairs())
                .extracting(pair -> pair.key + "=" + pair.value)
                .containsExactly("lock.key=order:42", "lock.name=ship", "lock.fencingToken=17"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"ecs", "logstash"})
    void logsItsOwnLockNextToTheCurrentLockOfTheThread(String format) {
        StructuredLogEncoder encoder = encoder(format);
        List<String> lines = new ArrayList<>();
        AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent line) {
                lines.add(new String(encoder.encode(line), StandardCharsets.UTF_8));
            }
        };
        appender.start();
        Logger logger = (Logger) LoggerFactory.getLogger("io.github.lockstarter");
        logger.addAppender(appender);
        Level before = logger.getLevel();
        logger.setLevel(Level.DEBUG);
        MDC.setContextMap(Map.of(LockMdc.KEY, "outer", LockMdc.NAME, "around", LockMdc.FENCING_TOKEN, "1"));
        try {
            log.onEvent(new LockEvent.Lost("ship", "order:42", 17, Duration.ofSeconds(31), LossCause.MAX_HOLD, 0));
            log.onEvent(new LockEvent.Contended("ship", "order:42"));
        } finally {
            MDC.clear();
            logger.setLevel(before);
            logger.detachAppender(appender);
        }

        assertThat(lines).hasSize(2).allSatisfy(line -> assertThat(line)
                .containsOnlyOnce("\"order:42\"")
                .containsOnlyOnce("\"ship\"")
                .containsOnlyOnce("\"outer\"")
                .containsOnlyOnce("\"around\""));
        assertThat(lines.get(0)).contains("encingToken\":17");
        assertThat(lines.get(1)).doesNotContain("encingToken\":17");
    }

    private static StructuredLogEncoder encoder(String format) {
        LoggerContext context = new LoggerContext();
        context.putObject(Environment.class.getName(), new StandardEnvironment());
        StructuredLogEncoder encoder = new StructuredLogEncoder();
        encoder.setContext(context);
        encoder.setFormat(format);
        encoder.start();
        return encoder;
    }

    @Test
    void warnsAboutALoss(CapturedOutput output) {
        log.onEvent(new LockEvent.Lost("ship", "order:42", 17, Duration.ofSeconds(31), LossCause.LEASE_EXPIRED, 3));
        assertThat(output)
                .contains("WARN")
                .contains("Lost lock 'order:42' (fencing token 17) after 31s: LEASE_EXPIRED, 3 failed renewals. Work")
                .doesNotContain("paused");

        log.onEvent(new LockEvent.Lost("ship", "order:43", 18, Duration.ofSeconds(75), LossCause.LEASE_EXPIRED, 0));
        assertThat(output)
                .contains("after 75s: LEASE_EXPIRED, 0 failed renewals (this JVM was paused, the store confirmed no "
                        + "renewal in time, or the lock is not renewed).");
    }

    @Test
    void warnsOnlyAboutAnUnansweredRelease(CapturedOutput output) {
        log.onEvent(new LockEvent.Released("ship", "order:41", 16, Duration.ofSeconds(1), ReleaseOutcome.RELEASED));
        log.onEvent(new LockEvent.Released("ship", "order:42", 17, Duration.ofMillis(11_712), ReleaseOutcome.UNKNOWN));
        assertThat(output.toString().lines().filter(line -> line.contains("WARN")))
                .singleElement()
                .asString()
                .contains(
                        "The lock store did not confirm the release of lock 'order:42' (fencing token 17), which was held for 11.7s; the release is repeated");
    }

    @Test
    void logsAKeyWithLineBreaksInOneLine(CapturedOutput output) {
        log.onEvent(new LockEvent.Lost("ship", "a\r\nforged", 17, Duration.ofSeconds(31), LossCause.MAX_HOLD, 0));

        assertThat(output).contains("Lost lock 'a\\r\\nforged'").doesNotContain("\nforged");
    }

    @Test
    void namesAnAbandonedLock(CapturedOutput output) {
        log.onEvent(new LockEvent.Abandoned(
                "ship", "order:42", 17, "request-7", Duration.ofSeconds(31), Abandonment.RELEASED));
        log.onEvent(new LockEvent.Abandoned("ship", "order:43", 18, "async", Duration.ofSeconds(31), Abandonment.KEPT));

        assertThat(output)
                .contains("No code can release lock 'order:42' (fencing token 17, name 'ship'), held since ")
                .contains("Thread 'request-7', which acquired it, has ended. The lock is released now")
                .contains("No code can release lock 'order:43' (fencing token 18, name 'ship')")
                .contains("'async' acquired it, and work under it may still run");
    }
}
