package io.github.lockstarter.demo.gallery.exhibit;

import io.github.lockstarter.demo.process.Sleep;
import java.time.Duration;

/**
 * The order of steps and faults of an exhibit, the same for the broken lock and for ours.
 */
@FunctionalInterface
interface Interleaving {

    /** How long ours may take to let somebody in wrongly. */
    Duration SETTLE = Duration.ofMillis(500);

    /** The same where a client has to connect again first. */
    Duration RECONNECT = Duration.ofMillis(1200);

    /** How much longer than a lease somebody is away. */
    Duration MORE = Duration.ofMillis(300);

    int COUNTS = 20;

    void play(Round round);

    /** Nobody keeps anybody out, and nothing happens. */
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

    /** The holder is killed in the middle of its grant. */
    static void killInMidGrant(Round round) {
        round.haltInAcquire(round.first());
        round.kill(round.first(), "in the middle of its grant (kill -9)");
        completeTheOthers(round);
    }

    /** The holder writes in time, and is stopped in its release until the next one has the lock. */
    static void releaseLate(Round round) {
        round.acquire(round.first());
        round.read(round.first());
        round.pause();
        round.write(round.first());
        round.haltInRelease(round.first());
        round.stop(round.first(), "in its release (SIGSTOP)");
        round.acquire(round.second());
        round.read(round.second());
        round.goOnToRelease(round.first());
        round.beginAcquire(round.third());
        letIn(round, round.third(), SETTLE);
        round.write(round.second());
        round.release(round.second());
        round.complete(round.third());
    }

    /** The work takes longer than the lease. */
    static void workForLong(Round round) {
        round.acquire(round.first());
        round.read(round.first());
        round.beginAcquire(round.second());
        Sleep.lasting(round.lease().plus(MORE));
        letIn(round, round.second(), SETTLE);
        finish(round);
    }

    /** The master dies before a replica has the lock. */
    static void failOver(Round round) {
        round.cutReplicasOff();
        round.acquire(round.first());
        round.read(round.first());
        round.failOver();
        round.beginAcquire(round.second());
        letIn(round, round.second(), afterMaxLease(round));
        finish(round);
    }

    /** The next master dies, too, before its replica has the next lock. */
    static void failOverTwice(Round round) {
        round.cutReplicasOff();
        round.acquire(round.first());
        round.read(round.first());
        round.failOver();
        round.cutReplicasOff();
        round.beginAcquire(round.second());
        letIn(round, round.second(), RECONNECT);
        round.failOver();
        round.beginAcquire(round.third());
        letIn(round, round.third(), afterMaxLease(round));
        finishFirst(round);
        round.completeInAnyOrder(round.second(), round.third());
    }

    /** One server of the majority forgets the lock. */
    static void forget(Round round) {
        round.acquire(round.first());
        round.read(round.first());
        round.pause();
        round.forget();
        round.beginAcquire(round.second());
        letIn(round, round.second(), RECONNECT);
        finish(round);
    }

    /** The holder is stopped right before its write, for longer than its lease. */
    static void writeLate(Round round) {
        round.acquire(round.first());
        round.read(round.first());
        round.haltBeforeWrite(round.first());
        round.stop(round.first(), "right before its write (SIGSTOP)");
        round.acquire(round.second());
        round.complete(round.second());
        round.pause();
        round.goOnToWrite(round.first());
        round.release(round.first());
    }

    private static void completeTheOthers(Round round) {
        round.beginAcquire(round.second());
        round.beginAcquire(round.third());
        round.completeInAnyOrder(round.second(), round.third());
    }

    /** By then, ours grants free locks again: nobody gets in only if the holder got its lock back. */
    private static Duration afterMaxLease(Round round) {
        return round.lease().plus(SETTLE);
    }

    /** If the lock lets somebody in, that one reads at once: what the owner writes now, it will not have seen. */
    private static void letIn(Round round, CallerProcess caller, Duration patience) {
        if (round.isLetInWithin(caller, patience)) {
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
