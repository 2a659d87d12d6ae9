package io.github.lockstarter.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.autoconfigure.redis.RedisApplication;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.jvm.ChildJvm;
import io.github.lockstarter.kit.process.Polling;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** JVMs that compete for a role, while the leader is killed or paused. */
@Tag(Effort.TIMING)
class LeaderProcessIT {

    private static final Duration LONGEST_GAP = Duration.ofSeconds(2);
    private static final int KILLS = Effort.of(1, 50);

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private final List<ChildJvm> all = new ArrayList<>();
    private final List<ChildJvm> running = new ArrayList<>();

    @AfterEach
    void kill() {
        all.forEach(ChildJvm::close);
    }

    private void start(int count, String... arguments) {
        List<ChildJvm> started = new ArrayList<>();
        List<String> given = new ArrayList<>(List.of(arguments));
        given.add("--distributed-lock.leader.roles=" + LeaderApplication.ROLE);
        for (int i = 0; i < count; i++) {
            started.add(ChildJvm.start(
                    LeaderApplication.class, RedisApplication.arguments(REDIS.server(), given.toArray(String[]::new))));
        }
        all.addAll(started);
        running.addAll(started);
        started.forEach(jvm -> jvm.awaitLine(LeaderApplication.READY::equals, Patience.TIME));
    }

    private ChildJvm awaitLeader() {
        assertThat(Polling.until(() -> leader() != null, Patience.TIME))
                .as("one of %s leads", running.stream().map(ChildJvm::lines).toList())
                .isTrue();
        ChildJvm leader = leader();
        assertThat(leader).isNotNull();
        return leader;
    }

    private @Nullable ChildJvm leader() {
        return running.stream()
                .filter(jvm ->
                        !LeaderApplication.of(jvm, LeaderApplication.CLAIM).isEmpty())
                .findFirst()
                .orElse(null);
    }

    private List<Claim> claims(String word) {
        return all.stream()
                .flatMap(jvm -> LeaderApplication.of(jvm, word).stream())
                .toList();
    }

    @Test
    void theNextLeaderFollowsTwoSecondsAfterAKillAndNeverOverlaps() {
        start(Effort.of(2, 3));
        List<Long> gaps = new ArrayList<>();
        for (int i = 0; i < KILLS; i++) {
            ChildJvm leader = awaitLeader();
            long killed = System.nanoTime();
            leader.kill();
            running.remove(leader);
            ChildJvm next = awaitLeader();
            long begun = LeaderApplication.of(next, LeaderApplication.CLAIM)
                    .iterator()
                    .next()
                    .begin();
            gaps.add(Duration.ofNanos(begun - killed).toMillis());
            if (i < KILLS - 1) {
                start(1);
            }
        }
        LongStream sorted = gaps.stream().mapToLong(Long::longValue).sorted();
        System.out.println(
                "Milliseconds from a kill to the next leader: " + sorted.boxed().toList());

        assertThat(gaps).hasSize(KILLS).allMatch(gap -> gap <= LONGEST_GAP.toMillis());
        assertThat(Claim.leaders(claims(LeaderApplication.CLAIM))).hasSize(KILLS + 1);
        assertThat(Claim.overlaps(claims(LeaderApplication.CLAIM))).isEmpty();
    }

    /** The control is the consumer that caches the events of the same leaders: it is seen to lead with the next one. */
    @Test
    @Tag(Effort.SLOW)
    void oneInstanceLeadsAtATimeAfterAPauseUnlessItCachesTheAnswer() throws Exception {
        start(2, "--distributed-lock.lease=2s");
        ChildJvm paused = awaitLeader();
        paused.pause();
        running.remove(paused);
        awaitLeader();
        Thread.sleep(500); // the next leader works
        paused.resume();
        Thread.sleep(1500); // the paused one goes on

        assertThat(Claim.leaders(claims(LeaderApplication.CLAIM))).hasSize(2);
        assertThat(Claim.overlaps(claims(LeaderApplication.CLAIM))).isEmpty();
        assertThat(Claim.overlaps(claims(LeaderApplication.CACHED))).hasSize(1);
    }
}
