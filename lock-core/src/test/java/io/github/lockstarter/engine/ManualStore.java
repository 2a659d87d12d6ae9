package io.github.lockstarter.engine;

import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.SignalListener;
import io.github.lockstarter.spi.Slots;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A store of one key whose answers are steps: to each command, each answer that the port allows, whatever the earlier
 * answers were, since a store may lose a lock, and other instances may have it. Checks the order of the commands, and
 * that the engine releases each grant, and each attempt of unknown outcome.
 */
final class ManualStore implements LockBackend {

    /** The fencing tokens of a grant follow this times the number of its lock token. */
    static final long FENCING = 1_000_000;

    static final int MOST_PERMITS = 2;
    private static final int MOST_READERS = 2;
    private static final int NONE = -1;

    @SuppressWarnings("StaticAssignmentOfThrowable") // the same in each replay
    private static final RuntimeException CAUSE = new RuntimeException("connection reset");

    private static final String REASON = "no connection";

    record Sent(Object command, CompletableFuture<Object> answer, long at) {}

    /** An attempt to read by a token that writes. */
    private record Downgrading(AcquireCommand attempt) {}

    final List<Sent> unanswered = new ArrayList<>();

    /** Of attempts that are, or may be, granted, and are not released. */
    final Set<LockToken> unreleased = new LinkedHashSet<>();

    /**
     * Of each slot, those of readers last, the latest that was granted; null once its release is sent, or the store has
     * lost it.
     */
    private final List<@Nullable LockToken> owners =
            new ArrayList<>(Collections.nCopies(MOST_PERMITS + MOST_READERS, null));

    /**
     * The highest slot with a signal, after which neither an attempt or withdrawal for it was sent nor an attempt
     * granted that found it taken; otherwise {@link #NONE}.
     */
    private int signalled = NONE;

    private final transient ManualEngine engine;

    ManualStore(ManualEngine engine) {
        this.engine = engine;
    }

    @Override
    public CompletionStage<AcquireResult> attemptAcquire(AcquireCommand command) {
        if (!unreleased.add(command.token())) {
            checkNoRenewal(command.token(), "slots 2: a downgrade beside a renewal");
            return answerTo(new Downgrading(command));
        }
        return answerToExclusive(command, command.reads() ? 0 : command.permits() - 1);
    }

    private static int placeOf(int slot) {
        return Slots.OF_READERS.contains(slot) ? slot - Slots.OF_READERS.from() + MOST_PERMITS : slot;
    }

    @Nullable
    LockToken owner(int slot) {
        return owners.get(placeOf(slot));
    }

    boolean isSignalled() {
        return signalled != NONE;
    }

    private <R> CompletableFuture<R> answerToExclusive(Object command, int lastSlot) {
        engine.check(
                isNoneUnderWay(ManualStore::isExclusive), "line 1: two commands that change the owner or the line");
        signalled = lastSlot < signalled ? signalled : NONE;
        return answerTo(command);
    }

    private static boolean isExclusive(Object command) {
        return command instanceof AcquireCommand
                || (command instanceof ReleaseCommand release
                        && (release.endsWait() || release.requeue().isPresent()));
    }

    @Override
    public List<CompletionStage<RenewResult>> renewLeases(List<RenewCommand> commands) {
        return commands.stream().map(this::renew).toList();
    }

    private CompletionStage<RenewResult> renew(RenewCommand command) {
        engine.check(command.token().equals(owner(command.slot())), "slots 2: a renewal after the release");
        return answerTo(command);
    }

    /** The release of an attempt of unknown outcome, and each repetition of a release, succeed without a step. */
    @Override
    public CompletionStage<ReleaseResult> releaseToken(ReleaseCommand command) {
        if (command.endsWait()) {
            return answerToExclusive(command, command.slots().from());
        }
        checkNoRenewal(command.token(), "slots 2: a release beside a renewal");
        boolean first = forget(command.token());
        return first && command.fencingToken() != StoreCalls.NO_GRANT
                ? answerTo(command)
                : CompletableFuture.completedFuture(new ReleaseResult.Released(0));
    }

    private void checkNoRenewal(LockToken token, String rule) {
        engine.check(
                isNoneUnderWay(each ->
                        (each instanceof RenewCommand renewal && renewal.token().equals(token))
                                || (each instanceof Downgrading sent
                                        && sent.attempt.token().equals(token))),
                rule);
    }

    private boolean forget(LockToken token) {
        owners.replaceAll(owner -> token.equals(owner) ? null : owner);
        return unreleased.remove(token);
    }

    private boolean isNoneUnderWay(Predicate<Object> which) {
        return unanswered.stream().noneMatch(sent -> which.test(sent.command));
    }

    @SuppressWarnings("unchecked") // the answers are of the kind of the command
    private <R> CompletableFuture<R> answerTo(Object command) {
        CompletableFuture<Object> answer = new CompletableFuture<>();
        unanswered.add(new Sent(command, answer, engine.now().nanos()));
        return (CompletableFuture<R>) answer;
    }

    /** Adds a step for each possible answer. */
    void addAnswers(Steps steps) {
        for (int i = 0; i < unanswered.size(); i++) {
            int number = i;
            Object command = unanswered.get(i).command;
            String name = command.getClass().getSimpleName();
            List<Object> answers = answers(command);
            steps.add(name, answers.get(0), any -> any.store.answer(number, answers.get(0)));
            for (Object other : answers.subList(1, answers.size())) {
                steps.disturb(name, other, any -> any.store.answer(number, other));
            }
        }
    }

    /** The usual answer first. */
    private List<Object> answers(Object command) {
        if (command instanceof AcquireCommand attempt) {
            long fencingToken = attempt.token().number() * FENCING;
            long position = attempt.waiting().isPresent() ? 7 : Waiting.NEW;
            int first = attempt.slots().from();
            int most = Math.min(attempt.slots().count(), MOST_PERMITS);
            int free = Math.max(
                    0, owners.subList(placeOf(first), placeOf(first) + most).indexOf(null));
            int other = most - 1 - free;
            List<Object> answers = new ArrayList<>(List.of(
                    granted(fencingToken, 0, first + free),
                    granted(fencingToken, 1, first + Math.max(0, other)),
                    new AcquireResult.Contended(Optional.of(Duration.ofSeconds(20)), position),
                    new AcquireResult.Unavailable(REASON, CAUSE),
                    new AcquireResult.Rejected(REASON, CAUSE),
                    new AcquireResult.Unknown(REASON, CAUSE)));
            if (excluding(first).stream().anyMatch(Objects::nonNull)) {
                Collections.swap(answers, 0, 2);
            }
            return answers;
        } else if (command instanceof Downgrading sent) {
            long fencingToken = sent.attempt.fencingFloor() + 1;
            int free = Math.max(0, excluding(0).indexOf(null));
            return List.of(
                    granted(fencingToken, 0, Slots.OF_READERS.from() + free),
                    granted(fencingToken + 1, 0, Slots.OF_READERS.from() + free), // it had lost the lock
                    new AcquireResult.Contended(Optional.of(Duration.ofSeconds(20)), Waiting.NEW),
                    new AcquireResult.Unknown(REASON, CAUSE));
        } else if (command instanceof RenewCommand) {
            return List.of(
                    new RenewResult.Renewed(),
                    new RenewResult.NotHeld(),
                    new RenewResult.Deferred(Duration.ofMillis(20)),
                    new RenewResult.Unknown(REASON, CAUSE));
        } else if (command instanceof ReleaseCommand release && !release.endsWait()) {
            return List.of(
                    new ReleaseResult.Released(0),
                    new ReleaseResult.Released(1),
                    new ReleaseResult.NotHeld(),
                    new ReleaseResult.Unknown(REASON, CAUSE));
        }
        return List.of(new ReleaseResult.Released(0), new ReleaseResult.Unknown(REASON, CAUSE));
    }

    /** The owners that exclude one of the slot. */
    private List<@Nullable LockToken> excluding(int slot) {
        return slot == 0
                ? owners.subList(MOST_PERMITS, MOST_PERMITS + MOST_READERS)
                : owners.subList(0, Slots.OF_READERS.contains(slot) ? 1 : 0);
    }

    private static AcquireResult granted(long fencingToken, long othersWaiting, int slot) {
        return new AcquireResult.Granted(fencingToken, othersWaiting, Optional.empty(), "", slot);
    }

    private void answer(int number, Object result) {
        Sent sent = unanswered.remove(number);
        if (result instanceof AcquireResult.Granted granted) {
            AcquireCommand attempt = sent.command instanceof Downgrading downgrading
                    ? downgrading.attempt
                    : (AcquireCommand) sent.command;
            LockToken writer = owner(0);
            // A later grant to another writer shows that the downgrade was executed, and its lock lost, before.
            if (sent.command instanceof AcquireCommand || writer == null || writer.equals(attempt.token())) {
                excluding(granted.slot()).replaceAll(owner -> null);
                owners.set(placeOf(granted.slot()), attempt.token());
            }
            signalled = granted.slot() < signalled ? signalled : NONE;
        } else if (sent.command instanceof AcquireCommand attempt && !(result instanceof AcquireResult.Unknown)) {
            unreleased.remove(attempt.token());
        } else if (sent.command instanceof RenewCommand renewal && result instanceof RenewResult.NotHeld) {
            forget(renewal.token());
        }
        sent.answer.complete(result);
    }

    /** Signals this instance. */
    void signal(int slot) {
        signalled = Math.max(signalled, slot);
        engine.running.signal(ManualEngine.KEY, slot);
    }

    @Override
    public void listen(String instanceId, SignalListener listener) {}

    @Override
    public void close() {}
}
