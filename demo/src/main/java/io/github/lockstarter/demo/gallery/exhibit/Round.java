package io.github.lockstarter.demo.gallery.exhibit;

import io.github.lockstarter.demo.gallery.caller.CallerSetting;
import io.github.lockstarter.demo.gallery.exhibit.CallerProcess.Answer;
import io.github.lockstarter.demo.process.Sleep;
import io.github.lockstarter.kit.process.Polling;
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
 * One round of an exhibit on one side: the steps of interleavings. Each step is recorded and returns when it is done.
 * Used by one thread.
 */
final class Round {

    /**
     * Longest wait for a caller that hangs; the end of a process is detected at once. The first answer includes the
     * start of six applications at once, which can take a minute on two cores with 30 other busy threads.
     */
    private static final Duration ANSWER = Duration.ofMinutes(2);

    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** Longest wait for a broken lock to grant a second owner. */
    private static final Duration LONGEST_GRANT = Duration.ofSeconds(20);

    private final RoundPlan plan;
    private final List<String> properties;
    private final ExhibitServers servers;
    private final RoundRecorder recorder = new RoundRecorder();
    private final List<CallerProcess> callers;

    /** @param callers by place */
    Round(RoundPlan plan, List<String> properties, List<CallerProcess> callers, ExhibitServers servers) {
        this.plan = plan;
        this.properties = properties;
        this.callers = List.copyOf(callers);
        this.servers = servers;
    }

    /** Plays the interleaving. No caller is stopped afterwards. */
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

    Duration lease() {
        return Duration.ofMillis(plan.leaseMs());
    }

    /** Sleeps for a time that the seed chooses. */
    void pause() {
        Sleep.lasting(plan.nextPause());
    }

    void acquire(CallerProcess caller) {
        beginAcquire(caller);
        if (!awaitGrant(caller)) {
            throw new IllegalStateException(caller.name + " was not granted " + plan.key());
        }
    }

    void beginAcquire(CallerProcess caller) {
        beginAcquire(caller, "-");
    }

    /** Requests the lock and stops during the grant, or right after it if the lock has no such point. */
    void haltInAcquire(CallerProcess caller) {
        beginAcquire(caller, "acquire");
        Answer halted = answer(caller.acquiring());
        if (!halted.word().equals("halted")) {
            throw new IllegalStateException(caller.name + " did not halt in its grant, but: " + halted.word());
        }
    }

    /** Whether the lock was granted: a broken lock has enough time for that, ours the given time. */
    boolean isGrantedWithin(CallerProcess caller, Duration patience) {
        Duration limit = plan.isBroken() ? LONGEST_GRANT : patience;
        return Polling.until(() -> caller.acquiring().isDone(), limit) && awaitGrant(caller);
    }

    /** Waits for the answer to {@link #beginAcquire}. */
    boolean awaitGrant(CallerProcess caller) {
        Answer answer = answer(caller.acquiring());
        return answer.word().equals("granted");
    }

    void read(CallerProcess caller) {
        Answer answer = send(caller, "read");
        caller.hasRead = true;
        recorder.add(
                caller, answer, "read", answer.word().equals("read") ? "reads " + answer.number() : "may not read");
    }

    void write(CallerProcess caller) {
        written(caller, send(caller, "write -"));
    }

    /** Stops right before the write. */
    void haltBeforeWrite(CallerProcess caller) {
        send(caller, "write write");
    }

    void release(CallerProcess caller) {
        released(caller, send(caller, "release -"));
    }

    /** Stops during the release, or right before it if the lock has no such point. */
    void haltInRelease(CallerProcess caller) {
        Answer halted = send(caller, "release release");
        recorder.sectionEnded(caller, halted.nanos());
    }

    void proceedToWrite(CallerProcess caller) {
        resume(caller);
        written(caller, send(caller, "go"));
    }

    void proceedToRelease(CallerProcess caller) {
        resume(caller);
        released(caller, send(caller, "go"));
    }

    /**
     * Reads (unless done), writes and releases after the grant; records a caller that is not granted the lock as
     * blocked.
     */
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

    /** The same for several waiting callers, in the order of their grants. */
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

    /** Sends SIGSTOP, which acts like a long garbage collection. */
    void stop(CallerProcess caller, String where) {
        caller.pause();
        recorder.add(caller, "stopped", "is paused " + where);
    }

    void kill(CallerProcess caller, String where) {
        caller.close();
        recorder.add(caller, "killed", "is killed " + where);
        recorder.sectionEnded(caller, System.nanoTime());
    }

    void stopReplication() {
        servers.stopReplication();
        recorder.addFault("The replication link breaks");
    }

    void failOver() {
        recorder.addFault(servers.failOver());
    }

    void forget() {
        recorder.addFault(servers.forget());
    }

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
            // Connects to the current master.
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

    private static Answer send(CallerProcess caller, String command) {
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
