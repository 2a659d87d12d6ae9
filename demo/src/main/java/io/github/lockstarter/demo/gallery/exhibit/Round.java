package io.github.lockstarter.demo.gallery.exhibit;

import io.github.lockstarter.demo.gallery.caller.CallerSetting;
import io.github.lockstarter.demo.gallery.exhibit.CallerProcess.Answer;
import io.github.lockstarter.demo.process.Sleep;
import io.github.lockstarter.kit.process.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import tools.jackson.databind.json.JsonMapper;

/**
 * One round of an exhibit on one side: the steps of interleavings. A step returns when it is done, and is recorded. For
 * one thread.
 */
final class Round {

    /**
     * For a caller that hangs; one that ends is noticed at once. The first answer includes the start of its
     * application, and six of them start together: on two cores with 30 other busy threads that can take a minute.
     */
    private static final Duration ANSWER = Duration.ofMinutes(2);

    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** A broken lock lets the next one in at once. */
    private static final Duration LET_IN = Duration.ofSeconds(20);

    private final RoundPlan plan;
    private final List<String> properties;
    private final ExhibitServers servers;
    private final RoundRecorder recorder = new RoundRecorder();
    private final List<CallerProcess> callers;

    /**
     * A round.
     *
     * @param properties of the starter, beside those of the servers
     * @param callers in the order of their places
     */
    Round(RoundPlan plan, List<String> properties, List<CallerProcess> callers, ExhibitServers servers) {
        this.plan = plan;
        this.properties = properties;
        this.callers = List.copyOf(callers);
        this.servers = servers;
    }

    /** Plays the interleaving of the exhibit. Nobody stands still afterwards. */
    RoundRecorder play() {
        open();
        recorder.begin();
        plan.exhibit().interleaving().play(this);
        return recorder;
    }

    CallerProcess first() {
        return callers.get(0);
    }

    CallerProcess second() {
        return callers.get(1);
    }

    CallerProcess third() {
        return callers.get(2);
    }

    /** The lease of a grant. */
    Duration lease() {
        return Duration.ofMillis(plan.leaseMs());
    }

    /** Some time passes, which the seed chooses. */
    void pause() {
        Sleep.lasting(plan.nextPause());
    }

    /** Acquires, and waits until it has. */
    void acquire(CallerProcess caller) {
        beginAcquire(caller);
        if (!awaitGrant(caller)) {
            throw new IllegalStateException(caller.name + " was not granted " + plan.key());
        }
    }

    /** Asks for the lock, and does not wait. */
    void beginAcquire(CallerProcess caller) {
        beginAcquire(caller, "-");
    }

    /** Asks for the lock; stands still in mid-grant, where the lock has such a point, or right after it. */
    void haltInAcquire(CallerProcess caller) {
        beginAcquire(caller, "acquire");
        Answer halted = answer(caller.acquiring());
        if (!halted.word().equals("halted")) {
            throw new IllegalStateException(caller.name + " did not halt in its grant, but: " + halted.word());
        }
    }

    /** Whether the lock was granted; gives a broken lock all the time it needs for that, and ours the time given. */
    boolean isLetInWithin(CallerProcess caller, Duration patience) {
        Duration limit = plan.isBroken() ? LET_IN : patience;
        return Patience.until(() -> caller.acquiring().isDone(), limit) && awaitGrant(caller);
    }

    /** Waits for the answer to {@link #beginAcquire}. */
    boolean awaitGrant(CallerProcess caller) {
        Answer answer = answer(caller.acquiring());
        return answer.word().equals("granted");
    }

    void read(CallerProcess caller) {
        Answer answer = tell(caller, "read");
        caller.hasRead = true;
        recorder.add(
                caller, answer, "read", answer.word().equals("read") ? "reads " + answer.number() : "may not read");
    }

    void write(CallerProcess caller) {
        written(caller, tell(caller, "write -"));
    }

    /** Is about to write, and stands still. */
    void haltBeforeWrite(CallerProcess caller) {
        tell(caller, "write write");
    }

    void release(CallerProcess caller) {
        released(caller, tell(caller, "release -"));
    }

    /** Begins to release, and stands still where the lock has such a point, or right before it. */
    void haltInRelease(CallerProcess caller) {
        Answer halted = tell(caller, "release release");
        recorder.sectionEnded(caller, halted.nanos());
    }

    /** Goes on after a halt, and a stop: the write. */
    void goOnToWrite(CallerProcess caller) {
        resume(caller);
        written(caller, tell(caller, "go"));
    }

    /** Goes on after a halt, and a stop: the release. */
    void goOnToRelease(CallerProcess caller) {
        resume(caller);
        released(caller, tell(caller, "go"));
    }

    /** Once it has the lock: reads, unless it has, writes and releases. Is blocked when it does not get it. */
    void complete(CallerProcess caller) {
        if (!awaitGrant(caller)) {
            recorder.blocked();
            return;
        }
        if (!caller.hasRead) {
            read(caller);
        }
        write(caller);
        release(caller);
    }

    /** The same for several that wait: the lock decides on their order. */
    void completeInAnyOrder(CallerProcess... waiting) {
        List<CallerProcess> left = new ArrayList<>(List.of(waiting));
        while (!left.isEmpty()) {
            answer(CompletableFuture.anyOf(
                    left.stream().map(CallerProcess::acquiring).toArray(CompletableFuture[]::new)));
            CallerProcess next = left.stream()
                    .filter(caller -> caller.acquiring().isDone())
                    .findFirst()
                    .orElseThrow();
            left.remove(next);
            complete(next);
        }
    }

    /** Stops the process (SIGSTOP), as a long garbage collection does. */
    void stop(CallerProcess caller, String where) {
        caller.pause();
        recorder.add(caller, "stopped", "is paused " + where);
    }

    /** Kills the process (SIGKILL). */
    void kill(CallerProcess caller, String where) {
        caller.close();
        recorder.add(caller, "killed", "is killed " + where);
        recorder.sectionEnded(caller, System.nanoTime());
    }

    void cutReplicasOff() {
        servers.cutReplicasOff();
        recorder.addFault("The replication link breaks");
    }

    void failOver() {
        recorder.addFault(servers.failOver());
    }

    void forget() {
        recorder.addFault(servers.forget());
    }

    /** Adds one that often, all callers at once. */
    void count(int times) {
        List<CompletableFuture<Answer>> answers = callers.stream()
                .map(caller -> caller.send("count " + plan.key() + " " + times))
                .toList();
        for (int i = 0; i < answers.size(); i++) {
            Answer answer = answer(answers.get(i));
            recorder.add(callers.get(i), answer, "write", "adds 1, " + times + " times");
            recorder.written(times);
        }
    }

    private void open() {
        callers.stream()
                .map(caller -> caller.send("open " + setting(caller)))
                .toList()
                .forEach(Round::answer);
    }

    private void beginAcquire(CallerProcess caller, String breakpoint) {
        if (plan.isBroken()) {
            // The master may be another one by now.
            answer(caller.send("open " + setting(caller)));
        }
        caller.hasRead = false;
        recorder.add(caller, "acquire", "requests the lock");
        CompletableFuture<Answer> acquiring = caller.send("acquire " + plan.key() + " "
                + plan.exhibit().patience(plan.isBroken()).toMillis() + " " + plan.leaseMs() + " " + breakpoint);
        caller.acquiring = acquiring.whenComplete((answer, failure) -> {
            if (answer != null) {
                recorder.answered(caller, answer);
            }
        });
    }

    private String setting(CallerProcess caller) {
        int place = callers.indexOf(caller);
        List<String> all = new ArrayList<>(servers.properties(place));
        all.addAll(properties);
        return JSON.writeValueAsString(new CallerSetting(plan.lock(), servers.ports(place), plan.storePort(), all));
    }

    private void resume(CallerProcess caller) {
        caller.resume();
        recorder.add(caller, "goes-on", "continues");
    }

    private void written(CallerProcess caller, Answer answer) {
        if (answer.word().equals("written")) {
            recorder.add(caller, answer, "write", "writes " + answer.number());
            recorder.written(1);
        } else {
            recorder.add(caller, answer, "write-refused", "write of " + answer.number() + " is refused");
            recorder.refused();
        }
    }

    private void released(CallerProcess caller, Answer answer) {
        boolean released = answer.word().equals("released");
        recorder.add(caller, released ? "release" : "lost", released ? "releases" : "releases, but had lost the lock");
        recorder.sectionEnded(caller, answer.number());
    }

    private static Answer tell(CallerProcess caller, String command) {
        return answer(caller.send(command));
    }

    private static <T> T answer(CompletableFuture<T> awaited) {
        try {
            return awaited.copy()
                    .orTimeout(ANSWER.toSeconds(), TimeUnit.SECONDS)
                    .join();
        } catch (CompletionException failure) {
            Throwable cause = Objects.requireNonNullElse(failure.getCause(), failure);
            String late = "A caller did not answer within " + ANSWER.toSeconds() + " s";
            throw new IllegalStateException(cause instanceof TimeoutException ? late : cause.getMessage(), cause);
        }
    }
}
