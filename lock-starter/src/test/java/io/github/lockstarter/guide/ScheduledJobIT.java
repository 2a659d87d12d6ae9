package io.github.lockstarter.guide;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.autoconfigure.redis.RedisApplication;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.jvm.ChildJvm;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.testing.Effort;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The recipe of docs/scheduled-jobs.md: three JVMs whose clocks are 300 ms apart start a job each second, and one
 * of them is killed and started again, three times. The same job without a minimum hold is the control.
 */
@Tag(Effort.TIMING)
class ScheduledJobIT {

    static final String KEPT = "kept";
    static final String NOT_KEPT = "not-kept";
    static final long AT_LEAST_MS = 800;

    private static final int INSTANCES = 3;
    private static final long APART_MS = 300;
    private static final int TICKS = 120;
    private static final int KILLS = 3;

    /** A start later than this is further from the first one than the minimum hold covers. */
    private static final long LATE_MS = AT_LEAST_MS - (INSTANCES - 1) * APART_MS - 50;

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private final List<Instance> all = new ArrayList<>();

    /**
     * A JVM with the application.
     *
     * @param number how many times 300 ms its clock is ahead
     */
    private record Instance(ChildJvm jvm, int number) {

        Stream<Attempt> attempts() {
            return jvm.lines().stream().flatMap(line -> Attempt.of(number, line));
        }

        /** Except for warnings about the lease, which is short here to keep the run short. */
        Stream<String> warnings() {
            return jvm.lines().stream()
                    .filter(line -> line.contains("WARN") || line.contains("ERROR") || line.contains("Exception"))
                    .filter(line -> !line.contains("lease of lock"));
        }
    }

    /**
     * An instance that began to run a job, or skipped it.
     *
     * @param tick second at which the job is due, by the clock of the instance
     * @param at time by the clock of the machine
     * @param grantedAt time of the grant by the server's clock, in microseconds; 0 for a call that was skipped
     */
    private record Attempt(int instance, boolean ran, String job, long tick, long at, long grantedAt) {

        static Stream<Attempt> of(int instance, String line) {
            String[] words = line.split(" ", -1);
            boolean matching = words.length == 5 && (words[0].equals("RUN") || words[0].equals("SKIP"));
            return matching
                    ? Stream.of(new Attempt(
                            instance,
                            words[0].equals("RUN"),
                            words[1],
                            Long.parseLong(words[2]),
                            Long.parseLong(words[3]),
                            Long.parseLong(words[4])))
                    : Stream.empty();
        }

        long lateMs() {
            return at + instance * APART_MS - tick * 1000;
        }
    }

    @AfterEach
    void stop() {
        all.forEach(instance -> instance.jvm().close());
    }

    @Test
    void aScheduledJobRunsOncePerTick() throws InterruptedException {
        long seed = Long.getLong("lock.test.seed", System.nanoTime());
        System.out.println("ScheduledJobIT with -Dlock.test.seed=" + seed);
        Random random = new Random(seed);
        ChildJvm[] running = new ChildJvm[INSTANCES];
        for (int i = 0; i < INSTANCES; i++) {
            running[i] = start(i);
        }
        for (ChildJvm jvm : running) {
            awaitReady(jvm);
        }
        long first = now() / 1000 + 2;
        Set<Long> lacking = new TreeSet<>();

        for (int kill = 0; kill < KILLS; kill++) {
            long from = (first + 2 + (long) kill * TICKS / KILLS) * 1000;
            sleepUntil(from + random.nextInt(1000));
            int victim = random.nextInt(INSTANCES);
            running[victim].kill();
            lacking.add((now() + victim * APART_MS) / 1000 + 1); // the others may have skipped its next tick before
            System.out.println("Killed the instance that is " + victim * APART_MS + " ms ahead, " + (now() - from)
                    + " ms after " + from / 1000);
            sleepUntil(now() + random.nextInt(1500));
            running[victim] = start(victim);
            awaitReady(running[victim]);
        }
        long last = Math.max(first + TICKS - 1, now() / 1000 + 3);
        sleepUntil(last * 1000 + 900);

        judge(first, last, lacking);
    }

    private void judge(long first, long last, Set<Long> lacking) {
        List<Attempt> attempts = all.stream()
                .flatMap(Instance::attempts)
                .filter(attempt -> attempt.tick() >= first && attempt.tick() <= last)
                .toList();
        Map<Long, Long> kept = runsByTick(attempts, KEPT, first, last);
        Map<Long, Long> notKept = runsByTick(attempts, NOT_KEPT, first, last);
        Set<Long> disturbed = disturbedTicks(attempts);
        System.out.println(kept.size() + " ticks, " + disturbed.size() + " of them disturbed; runs by tick: " + kept
                + "; without a minimum hold: " + notKept + "; skipped calls: "
                + attempts.stream()
                        .filter(attempt -> attempt.job().equals(KEPT) && !attempt.ran())
                        .count()
                + "; latest start: "
                + attempts.stream().mapToLong(Attempt::lateMs).max().orElse(-1) + " ms");

        assertThat(grantsApart(attempts)).as("ms between two grants").allMatch(apart -> apart >= AT_LEAST_MS);
        assertThat(disturbed).as("ticks that an instance started late").hasSizeLessThanOrEqualTo(kept.size() / 4);
        Map<Long, Long> undisturbed = new TreeMap<>(kept);
        undisturbed.keySet().removeAll(disturbed);
        undisturbed.keySet().removeAll(lacking);
        assertThat(undisturbed.values()).as("runs by tick: %s", undisturbed).containsOnly(1L);
        assertThat(notKept.values().stream().filter(runs -> runs > 1))
                .as("ticks that ran several times without a minimum hold: %s", notKept)
                .hasSizeGreaterThan(kept.size() / 2);
        assertThat(all.stream().flatMap(Instance::warnings)).isEmpty();
    }

    private static Map<Long, Long> runsByTick(List<Attempt> attempts, String job, long first, long last) {
        Map<Long, Long> runs = new TreeMap<>();
        LongStream.rangeClosed(first, last).forEach(tick -> runs.put(tick, 0L));
        attempts.stream()
                .filter(attempt -> attempt.ran() && attempt.job().equals(job))
                .forEach(attempt -> runs.merge(attempt.tick(), 1L, Long::sum));
        return runs;
    }

    /** Whose instances did not start them in time, and the next ones, since a late run keeps the lock for longer. */
    private static Set<Long> disturbedTicks(List<Attempt> attempts) {
        return attempts.stream()
                .filter(attempt -> attempt.lateMs() > LATE_MS)
                .flatMap(attempt -> Stream.of(attempt.tick(), attempt.tick() + 1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static List<Long> grantsApart(List<Attempt> attempts) {
        List<Long> grants = attempts.stream()
                .filter(attempt -> attempt.ran() && attempt.job().equals(KEPT))
                .map(Attempt::grantedAt)
                .sorted()
                .toList();
        List<Long> apart = new ArrayList<>();
        for (int i = 1; i < grants.size(); i++) {
            apart.add((grants.get(i) - grants.get(i - 1)) / 1000);
        }
        return apart;
    }

    private ChildJvm start(int instance) {
        ChildJvm jvm = ChildJvm.start(
                ScheduledJobApplication.class,
                RedisApplication.arguments(REDIS.server(), "--test.ahead=" + instance * APART_MS));
        all.add(new Instance(jvm, instance));
        return jvm;
    }

    private static void awaitReady(ChildJvm jvm) {
        jvm.awaitLine(ScheduledJobApplication.READY::equals, Patience.TIME);
    }

    private static long now() {
        return System.currentTimeMillis();
    }

    private static void sleepUntil(long millis) throws InterruptedException {
        Thread.sleep(Math.max(0, millis - now())); // a cron expression goes by the wall clock
    }
}
