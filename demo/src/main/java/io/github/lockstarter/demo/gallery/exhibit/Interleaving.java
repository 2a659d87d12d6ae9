package io.github.lockstarter.demo.gallery.exhibit;

import io.github.lockstarter.demo.process.Sleep;
import java.time.Duration;

/** The order of steps and faults of an exhibit, the same for the broken lock and ours. */
@FunctionalInterface
interface Interleaving {

    /** Time in which our lock could wrongly grant a second owner. */
    Duration SETTLE = Duration.ofMillis(500);

    /** The same if a client has to reconnect first. */
    Duration RECONNECT = Duration.ofMillis(1200);

    /** How much longer than a lease a caller is paused. */
    Duration BEYOND_LEASE = Duration.ofMillis(300);

    int COUNTS = 20;

    void play(Round round);

    /** Counts without a lock or fault. */
    static void count(Round round) {
        round.count(COUNTS);
    }

    /** The holder is killed between read and write. */
    static void killTheHolder(Round round) {
        round.acquire(round.first());
        round.read(round.first());
        round.pause();
        round.kill(round.first(), "before it writes (kill -9)");
        completeTheOthers(round);
    }

    /** The holder is killed during its grant. */
    static void killInMidGrant(Round round) {
        round.haltInAcquire(round.first());
        round.kill(round.first(), "in the middle of its grant (kill -9)");
        completeTheOthers(round);
    }

    /** The holder writes in time, and is paused in its release until the next one has the lock. */
    static void releaseLate(Round round) {
        round.acquire(round.first());
        round.read(round.first());
        round.pause();
        round.write(round.first());
        round.haltInRelease(round.first());
        round.stop(round.first(), "in its release (SIGSTOP)");
        round.acquire(round.second());
        round.read(round.second());
        round.proceedToRelease(round.first());
        round.beginAcquire(round.third());
        readIfGranted(round, round.third(), SETTLE);
        round.write(round.second());
        round.release(round.second());
        round.complete(round.third());
    }

    /** The work takes longer than the lease. */
    static void workForLong(Round round) {
        round.acquire(round.first());
        round.read(round.first());
        round.beginAcquire(round.second());
        Sleep.lasting(round.lease().plus(BEYOND_LEASE));
        readIfGranted(round, round.second(), SETTLE);
        finish(round);
    }

    /** The master dies before a replica has the lock. */
    static void failOver(Round round) {
        round.stopReplication();
        round.acquire(round.first());
        round.read(round.first());
        round.failOver();
        round.beginAcquire(round.second());
        readIfGranted(round, round.second(), afterMaxLease(round));
        finish(round);
    }

    /** The next master dies too, before its replica has the next lock. */
    static void failOverTwice(Round round) {
        round.stopReplication();
        round.acquire(round.first());
        round.read(round.first());
        round.failOver();
        round.stopReplication();
        round.beginAcquire(round.second());
        readIfGranted(round, round.second(), RECONNECT);
        round.failOver();
        round.beginAcquire(round.third());
        readIfGranted(round, round.third(), afterMaxLease(round));
        finishFirst(round);
        round.completeInAnyOrder(round.second(), round.third());
    }

    /** One server of the majority loses the lock. */
    static void forget(Round round) {
        round.acquire(round.first());
        round.read(round.first());
        round.pause();
        round.forget();
        round.beginAcquire(round.second());
        readIfGranted(round, round.second(), RECONNECT);
        finish(round);
    }

    /** The holder is paused right before its write, for longer than its lease. */
    static void writeLate(Round round) {
        round.acquire(round.first());
        round.read(round.first());
        round.haltBeforeWrite(round.first());
        round.stop(round.first(), "right before its write (SIGSTOP)");
        round.acquire(round.second());
        round.complete(round.second());
        round.pause();
        round.proceedToWrite(round.first());
        round.release(round.first());
    }

    private static void completeTheOthers(Round round) {
        round.beginAcquire(round.second());
        round.beginAcquire(round.third());
        round.completeInAnyOrder(round.second(), round.third());
    }

    /** Our lock grants free locks again after this time, so only a restored lock keeps others out. */
    private static Duration afterMaxLease(Round round) {
        return round.lease().plus(SETTLE);
    }

    /** A second owner reads at once, so it misses later writes of the first one. */
    private static void readIfGranted(Round round, CallerProcess caller, Duration patience) {
        if (round.isGrantedWithin(caller, patience)) {
            round.read(caller);
        }
    }

    private static void finish(Round round) {
        finishFirst(round);
        round.complete(round.second());
    }

    private static void finishFirst(Round round) {
        round.pause();
        round.write(round.first());
        round.release(round.first());
    }
}
