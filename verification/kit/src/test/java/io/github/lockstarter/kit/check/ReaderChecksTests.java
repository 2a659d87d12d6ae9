package io.github.lockstarter.kit.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.kit.event.EventKind;
import org.junit.jupiter.api.Test;

/** The checks of locks that are read, by readers who share holds: each finds only the planted violation. */
class ReaderChecksTests {

    private static final String WRITER = "k";
    private static final String READER = "k/p1024";
    private static final String OTHER_READER = "k/p1025";

    private final ExclusionCheck exclusion = new ExclusionCheck();
    private final FencingOrderCheck order = new FencingOrderCheck();

    private static Script script() {
        return Script.of("w1", "w2", "w3");
    }

    /** Two readers of the first worker share a hold from 10 to 60, the second worker reads, and the third writes. */
    private static Script readersAnd(long token, long from, long until) {
        Script sharing = script().on(READER).acquired("w1", 5, 10, 1000).acquired("w1", 5, 20, 1000, "JOINED");
        sharing.releasing("w1", 5, 30, 1000).released("w1", 5, 31, "STILL_HELD");
        sharing.releasing("w1", 5, 60, 1000).released("w1", 5, 61, "RELEASED");
        sharing.on(OTHER_READER).acquired("w2", 4, 15, 1000).releasing("w2", 4, 50, 1000);
        return sharing.on(WRITER).acquired("w3", token, from, 2000).releasing("w3", token, until, 2000);
    }

    @Test
    void acceptsReadersAtTheSameTime() {
        for (Script good : new Script[] {readersAnd(3, 1, 9), readersAnd(6, 61, 70)}) {
            assertThat(good.check(exclusion)).isEmpty();
            assertThat(good.check(order)).isEmpty();
        }
    }

    @Test
    void findsAWriterBesideReaders() {
        assertThat(readersAnd(6, 59, 70).check(exclusion)).singleElement().satisfies(found -> {
            assertThat(found.key()).isEqualTo(WRITER);
            assertThat(found.holds()).extracting(LoggedHold::worker).containsExactly("w1", "w3");
        });
        assertThat(readersAnd(3, 1, 11).check(exclusion)).hasSize(1);
    }

    @Test
    void findsReadersOutOfTheOrderOfWriters() {
        assertThat(readersAnd(6, 1, 9).check(order)).hasSize(3);
        assertThat(readersAnd(3, 61, 70).check(order)).hasSize(1);
        assertThat(readersAnd(5, 61, 70).check(order)).as("a token of both").hasSize(1);
    }

    /** Its hold excludes until it asks for the downgrade. */
    @Test
    void acceptsADowngradeAndFindsAWriterInIt() {
        Script good = script().acquired("w1", 5, 10, 1000).releasing("w1", 5, 20, 1000);
        good.on(OTHER_READER).acquired("w2", 6, 21, 1000).releasing("w2", 6, 22, 1000);
        good.on(READER).acquired("w1", 5, 25, 1000, "DOWNGRADED").releasing("w1", 5, 40, 1000);
        assertThat(good.check(exclusion)).isEmpty();
        assertThat(good.check(order)).isEmpty();
        Script bad = good.on(WRITER).acquired("w3", 7, 23, 1000).releasing("w3", 7, 24, 1000);
        assertThat(bad.check(order)).hasSize(1);
    }

    private static Script shared() {
        return script().on(READER)
                .promising("w1", 1, 400, 9)
                .acquired("w1", 1, 10, 3000)
                .acquired("w1", 1, 20, 3000, "JOINED");
    }

    @Test
    void judgesEachReaderByTheCertaintyOfTheSharedHold() {
        Script good = shared().certain("w1", 1, 900).on(WRITER).acquired("w2", 2, 1001, 3000, "TAKEN_OVER");
        assertThat(good.check(exclusion)).isEmpty();
        assertThat(good.on(READER).certain("w1", 1, 1002).check(exclusion)).hasSize(1);
    }

    @Test
    void expectsALossToBeSignalledToEachReader() {
        Script good = shared().lost("w1", 1, 3001, "LEASE_EXPIRED").lost("w1", 1, 3002, "LEASE_EXPIRED");
        assertThat(good.check(new LossCheck())).isEmpty();
        Script bad = shared().lost("w1", 1, 3001, "LEASE_EXPIRED").releasing("w1", 1, 3700, 0);
        assertThat(bad.releasing("w1", 1, 3701, 0).check(new LossCheck())).hasSize(1);
    }

    @Test
    void findsADeadReaderThatKeepsAWriterOutUnlessOthersRead() {
        TakeoverCheck check = new TakeoverCheck();
        Script dead = shared().certain("w1", 1, 99).killed("w1", 100);
        assertThat(dead.on(WRITER).refused("w3", 50, 1000, 1200).check(check)).isEmpty();
        assertThat(dead.refused("w3", 50, 1000, 1400).check(check)).isNotEmpty();
        assertThat(dead.on(OTHER_READER).acquired("w2", 2, 5, 3000).check(check))
                .isEmpty();
    }

    @Test
    void findsAReaderThatJoinsLateThoughAnotherInstanceWaits() {
        HandOverCheck check = new HandOverCheck();
        Script wanted = script().on(READER).granted("w1", 0, 10).sent(EventKind.WANTED, "w1", 0, 40);
        assertThat(wanted.acquired("w1", 1, 95, 700, 2000, "JOINED").check(check))
                .as("it came within the limit")
                .isEmpty();
        assertThat(wanted.acquired("w1", 1, 600, 701, 2000, "JOINED").check(check))
                .hasSize(1);
    }

    @Test
    void countsHandoversButNotReadersThatJoin() {
        assertThat(whileWanted("JOINED").check(new HandOverCheck())).isEmpty();
        assertThat(whileWanted("HANDED_OVER").check(new HandOverCheck())).hasSize(1);
    }

    private Script whileWanted(String note) {
        Script wanted = script().on(READER).granted("w1", 0, 10).sent(EventKind.WANTED, "w1", 0, 40);
        for (int reader = 0; reader < 19; reader++) {
            wanted = wanted.acquired("w1", 1, 60 + reader, 61 + reader, 2000, note);
        }
        return wanted;
    }

    @Test
    void acceptsASignalThatAReaderPassesOn() {
        Script one = script().sent(EventKind.SIGNALLED, "w2", 0, 11);
        assertThat(one.check(new WakeUpCheck())).hasSize(1);
        assertThat(one.on(READER).sent(EventKind.ATTEMPTING, "w1", 1, 10).check(new WakeUpCheck()))
                .isEmpty();
    }
}
