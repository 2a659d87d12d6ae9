package io.github.lockstarter.redlock;

import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.QuorumNode;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.SignalListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One client's connection to one node: keeps the order of commands unless configured otherwise, delays them, and loses
 * some. Answers keep the order of execution.
 */
final class SimLink implements QuorumNode {

    static final Duration TIMEOUT = Duration.ofMillis(50);

    private final RuntimeException cause = new IllegalStateException("no answer");

    private final SimWorld world;
    private final SimNode node;
    private final double loss;
    private final boolean tellsTime;
    private final Set<Class<?>> unanswered = new HashSet<>();
    private final Set<Class<?>> overtaken = new HashSet<>();
    private final List<Runnable> late = new ArrayList<>();
    private @Nullable SignalListener listener;
    private long lastArrival;
    private long lastAnswer;
    private double delayed = 0.01;
    private double overtaking;
    private Runnable beforeRelease = () -> {};
    int commands;
    int releases;
    boolean cut;

    SimLink(SimWorld world, SimNode node, double loss, boolean tellsTime) {
        this.world = world;
        this.node = node;
        this.loss = loss;
        this.tellsTime = tellsTime;
    }

    /** From now on, nothing takes longer than a millisecond each way. */
    SimLink keepsTime() {
        delayed = 0;
        return this;
    }

    /** From now on, some commands are executed behind others that were sent later. */
    SimLink overtakes(double some) {
        overtaking = some;
        return this;
    }

    /** Runs after a release was decided, and before it is sent here. */
    void beforeRelease(Runnable work) {
        beforeRelease = work;
    }

    /** From now on, answers of this type are lost. */
    void loses(Class<?> answers) {
        unanswered.add(answers);
    }

    void losesNone() {
        unanswered.clear();
    }

    /**
     * From now on, commands with such answers are executed only when {@link #arrives} is called, as a repeated command.
     */
    void overtakes(Class<?> answers) {
        overtaken.add(answers);
    }

    /** All that was overtaken. */
    void arrives() {
        overtaken.clear();
        late.forEach(Runnable::run);
        late.clear();
    }

    private <R> CompletionStage<R> send(Supplier<R> command, R unknown) {
        commands++;
        CompletableFuture<R> answer = new CompletableFuture<>();
        world.after(TIMEOUT.toNanos(), () -> answer.complete(unknown));
        if (world.chance(loss) || cut) {
            return answer;
        }
        Runnable execution = () -> {
            if (node.up) {
                R result = command.get();
                if (!world.chance(loss) && !isOf(unanswered, unknown)) {
                    lastAnswer = Math.max(lastAnswer + 1, world.nanos() + delay());
                    world.after(lastAnswer - world.nanos(), () -> answer.complete(result));
                }
            }
        };
        if (isOf(overtaken, unknown)) {
            late.add(execution);
        } else if (world.chance(overtaking)) {
            world.after(world.upTo(TIMEOUT.toNanos()), execution);
        } else {
            lastArrival = Math.max(lastArrival + 1, world.nanos() + delay());
            world.after(lastArrival - world.nanos(), execution);
        }
        return answer;
    }

    private static boolean isOf(Set<Class<?>> kinds, Object answer) {
        return kinds.stream().anyMatch(kind -> kind.isInstance(answer));
    }

    /** Mostly within a millisecond; sometimes so late that no client waits for it. */
    private long delay() {
        return world.chance(delayed) ? world.upTo(2 * TIMEOUT.toNanos()) : 100_000 + world.upTo(700_000);
    }

    @Override
    public CompletionStage<Vote> vote(AcquireCommand command) {
        return send(
                () -> {
                    AcquireResult result = node.acquire(command);
                    return new Vote(result, tellsTime ? OptionalLong.of(node.micros()) : OptionalLong.empty());
                },
                new Vote(new AcquireResult.Unknown("no answer", cause), OptionalLong.empty()));
    }

    @Override
    public CompletionStage<AcquireResult> attemptAcquire(AcquireCommand command) {
        return send(() -> node.acquire(command), new AcquireResult.Unknown("no answer", cause));
    }

    @Override
    public List<CompletionStage<RenewResult>> renewLeases(List<RenewCommand> commands) {
        return commands.stream()
                .map(command -> send(() -> node.renew(command), new RenewResult.Unknown("no answer", cause)))
                .toList();
    }

    @Override
    public CompletionStage<ReleaseResult> releaseToken(ReleaseCommand command) {
        if (command.endsWait()) {
            return send(
                    () -> {
                        node.release(command);
                        return new ReleaseResult.Released(0);
                    },
                    new ReleaseResult.Unknown("no answer", cause));
        }
        beforeRelease.run();
        releases++;
        return send(() -> node.release(command), new ReleaseResult.Unknown("no answer", cause));
    }

    @Override
    public void listen(String instanceId, SignalListener added) {
        listener = added;
    }

    void signal(String key) {
        Objects.requireNonNull(listener).onSignal(key, 0);
    }

    @Override
    public void close() {}
}
