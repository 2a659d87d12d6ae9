package io.github.lockstarter.demo.gallery.play;

import io.github.lockstarter.demo.gallery.actor.Setting;
import io.github.lockstarter.demo.gallery.play.ActorProcess.Answer;
import io.github.lockstarter.sample.SimulatedWork;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * One round of an exhibit on one side: what scripts are made of. A step returns when it is done, and is recorded. For
 * one thread.
 */
final class Round {

    /**
     * For an actor that hangs; one that ends is noticed at once. The first answer includes the start of its
     * application, and six of them start together: on two cores with 30 other busy threads that can take a minute.
     */
    private static final Duration ANSWER = Duration.ofMinutes(2);

    private static final Duration LOOK = Duration.ofMillis(5);

    /** A broken lock lets the next one in at once. */
    private static final Duration LET_IN = Duration.ofSeconds(20);

    private final RoundPlan plan;
    private final List<String> properties;
    private final ActorGroup actors;
    private final ExhibitServers servers;
    private final Recorder recorder = new Recorder();
    private final List<Part> parts;

    Round(RoundPlan plan, List<String> properties, ActorGroup actors, ExhibitServers servers) {
        this.plan = plan;
        this.properties = properties;
        this.actors = actors;
        this.servers = servers;
        this.parts = plan.parts().stream()
                .map(index -> new Part(ActorGroup.nameOf(index), actors.get(index)))
                .toList();
    }

    /** Plays the script of the exhibit. Nobody stands still afterwards; who was killed is dismissed. */
    Recorder play() {
        open();
        recorder.begin();
        try {
            plan.exhibit().script().play(this);
        } finally {
            parts.stream().filter(part -> part.killed).forEach(part -> actors.dismiss(actorOf(part)));
        }
        return recorder;
    }

    Part first() {
        return parts.get(0);
    }

    Part second() {
        return parts.get(1);
    }

    Part third() {
        return parts.get(2);
    }

    List<Part> all() {
        return parts;
    }

    /** The lease of a grant. */
    Duration lease() {
        return Duration.ofMillis(plan.leaseMs());
    }

    /** Some time passes, which the seed chooses. */
    void pause() {
        SimulatedWork.lasting(plan.nextPause());
    }

    /** Work under the lock takes that long. */
    void work(Duration duration) {
        SimulatedWork.lasting(duration);
    }

    /** Acquires, and waits until it has. */
    void acquire(Part part) {
        beginAcquire(part);
        if (!awaitGrant(part)) {
            throw new IllegalStateException(part.name + " was not granted " + plan.key());
        }
    }

    /** Asks for the lock, and does not wait. */
    void beginAcquire(Part part) {
        beginAcquire(part, "-");
    }

    /** Asks for the lock; stands still in mid-grant, where the lock has such a point, or right after it. */
    void haltInAcquire(Part part) {
        beginAcquire(part, "acquire");
        Answer halted = answer(part.acquiring());
        if (!halted.word().equals("halted")) {
            throw new IllegalStateException(part.name + " did not halt in its grant, but: " + halted.word());
        }
    }

    /** Whether the lock was granted; gives a broken lock all the time it needs for that, and ours the time given. */
    boolean isLetInWithin(Part part, Duration patience) {
        long deadline = System.nanoTime() + (plan.isBroken() ? LET_IN : patience).toNanos();
        while (!part.acquiring().isDone() && System.nanoTime() < deadline) {
            SimulatedWork.lasting(LOOK);
        }
        return part.acquiring().isDone() && awaitGrant(part);
    }

    /** Waits for the answer to {@link #beginAcquire}. */
    boolean awaitGrant(Part part) {
        Answer answer = answer(part.acquiring());
        return answer.word().equals("granted");
    }

    void read(Part part) {
        Answer answer = tell(part, "read");
        part.hasRead = true;
        recorder.add(part, answer, "read", answer.word().equals("read") ? "reads " + answer.number() : "may not read");
    }

    void write(Part part) {
        written(part, tell(part, "write -"));
    }

    /** Is about to write, and stands still. */
    void haltBeforeWrite(Part part) {
        tell(part, "write write");
    }

    void release(Part part) {
        released(part, tell(part, "release -"));
    }

    /** Begins to release, and stands still where the lock has such a point, or right before it. */
    void haltInRelease(Part part) {
        Answer halted = tell(part, "release release");
        recorder.sectionEnded(part, halted.nanos());
    }

    /** Goes on after a halt, and a stop: the write. */
    void goOnToWrite(Part part) {
        resume(part);
        written(part, tell(part, "go"));
    }

    /** Goes on after a halt, and a stop: the release. */
    void goOnToRelease(Part part) {
        resume(part);
        released(part, tell(part, "go"));
    }

    /** Once it has the lock: reads, unless it has, writes and releases. Is blocked when it does not get it. */
    void complete(Part part) {
        if (!awaitGrant(part)) {
            recorder.blocked();
            return;
        }
        if (!part.hasRead) {
            read(part);
        }
        write(part);
        release(part);
    }

    /** The same for several that wait: the lock decides on their order. */
    void completeInAnyOrder(Part... waiting) {
        List<Part> left = new ArrayList<>(List.of(waiting));
        while (!left.isEmpty()) {
            answer(CompletableFuture.anyOf(left.stream().map(Part::acquiring).toArray(CompletableFuture[]::new)));
            Part next = left.stream()
                    .filter(part -> part.acquiring().isDone())
                    .findFirst()
                    .orElseThrow();
            left.remove(next);
            complete(next);
        }
    }

    /** Stops the process (SIGSTOP), as a long garbage collection does. */
    void stop(Part part, String where) {
        part.actor.signal("STOP");
        recorder.add(part, "stopped", "is stopped " + where);
    }

    /** Kills the process (SIGKILL). */
    void kill(Part part, String where) {
        part.actor.kill();
        part.killed = true;
        recorder.add(part, "killed", "is killed " + where);
        recorder.sectionEnded(part, System.nanoTime());
    }

    void cutReplicasOff() {
        servers.cutReplicasOff();
        recorder.addFault("The replication link breaks");
    }

    void failOver() {
        recorder.addFault(servers.failOver());
    }

    void forget() {
        recorder.addFault(servers.forget(plan.key()));
    }

    /** Adds one that often, all actors at once. */
    void count(int times) {
        List<CompletableFuture<Answer>> answers = parts.stream()
                .map(part -> part.actor.send("count " + plan.key() + " " + times))
                .toList();
        for (int i = 0; i < answers.size(); i++) {
            Answer answer = answer(answers.get(i));
            recorder.add(parts.get(i), answer, "write", "adds 1, " + times + " times");
            recorder.written(times);
        }
    }

    private void open() {
        parts.stream()
                .map(part -> part.actor.send("open " + setting(part).line()))
                .toList()
                .forEach(Round::answer);
    }

    private void beginAcquire(Part part, String breakpoint) {
        if (plan.isBroken()) {
            // The master may be another one by now.
            answer(part.actor.send("open " + setting(part).line()));
        }
        recorder.add(part, "acquire", "asks for the lock");
        CompletableFuture<Answer> acquiring = part.actor.send("acquire " + plan.key() + " "
                + plan.exhibit().patience(plan.isBroken()).toMillis() + " " + plan.leaseMs() + " " + breakpoint);
        part.acquiring = acquiring.whenComplete((answer, failure) -> {
            if (answer != null) {
                recorder.answered(part, answer);
            }
        });
    }

    private Setting setting(Part part) {
        int place = parts.indexOf(part);
        return new Setting(
                plan.lock(),
                plan.isBroken() ? servers.ports(place) : List.of(),
                plan.storePort(),
                plan.isBroken()
                        ? List.of()
                        : Stream.concat(servers.properties(place).stream(), properties.stream())
                                .toList());
    }

    private void resume(Part part) {
        part.actor.signal("CONT");
        recorder.add(part, "goes-on", "goes on");
    }

    private void written(Part part, Answer answer) {
        if (answer.word().equals("written")) {
            recorder.add(part, answer, "write", "writes " + answer.number());
            recorder.written(1);
        } else {
            recorder.add(part, answer, "write-refused", "write of " + answer.number() + " is refused");
            recorder.refused();
        }
    }

    private void released(Part part, Answer answer) {
        boolean released = answer.word().equals("released");
        recorder.add(part, released ? "release" : "lost", released ? "releases" : "releases, and had lost the lock");
        recorder.sectionEnded(part, answer.number());
    }

    private int actorOf(Part part) {
        return plan.parts().get(parts.indexOf(part));
    }

    private static Answer tell(Part part, String command) {
        return answer(part.actor.send(command));
    }

    private static <T> T answer(CompletableFuture<T> awaited) {
        try {
            return awaited.get(ANSWER.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException failure) {
            Throwable cause = Objects.requireNonNullElse(failure.getCause(), failure);
            throw new IllegalStateException(cause.getMessage(), cause);
        } catch (TimeoutException late) {
            throw new IllegalStateException("An actor did not answer within " + ANSWER.toSeconds() + " s", late);
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while an actor was to answer", interrupt);
        }
    }
}
