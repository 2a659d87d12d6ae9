package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoreState;
import io.github.lockstarter.LockAdmin.StoreState.CrashTakeOver;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.CrashDetection;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.SignalListener;
import io.github.lockstarter.spi.StoreCapabilities;
import io.github.lockstarter.spi.WithdrawCommand;
import io.github.lockstarter.spi.WithdrawResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Several backends as one: each command goes to the one that keeps its key. Has no state of its own. */
final class RoutedBackend implements LockBackend {

    private final BackendRoutes routes;
    private final Map<String, LockBackend> backends;

    RoutedBackend(BackendRoutes routes, Map<String, LockBackend> backends) {
        this.routes = routes;
        this.backends = Map.copyOf(backends);
    }

    private LockBackend to(String key) {
        return named(routes.of(key));
    }

    private LockBackend named(String backend) {
        return Objects.requireNonNull(backends.get(backend), "backend in use");
    }

    @Override
    public StoreCapabilities capabilities(String key) {
        return to(key).capabilities(key);
    }

    @Override
    public CompletionStage<AcquireResult> acquire(AcquireCommand command) {
        return to(command.key()).acquire(command);
    }

    @Override
    public List<CompletionStage<RenewResult>> renew(List<RenewCommand> commands) {
        Map<String, List<RenewCommand>> parts = new HashMap<>();
        List<String> order = new ArrayList<>(commands.size());
        for (RenewCommand command : commands) {
            String backend = routes.of(command.key());
            order.add(backend);
            parts.computeIfAbsent(backend, any -> new ArrayList<>()).add(command);
        }
        Map<String, Iterator<CompletionStage<RenewResult>>> answers = new HashMap<>();
        parts.forEach((backend, part) ->
                answers.put(backend, named(backend).renew(part).iterator()));
        List<CompletionStage<RenewResult>> inOrder = new ArrayList<>(commands.size());
        for (String backend : order) {
            inOrder.add(Objects.requireNonNull(answers.get(backend)).next());
        }
        return inOrder;
    }

    @Override
    public CompletionStage<ReleaseResult> release(ReleaseCommand command) {
        return to(command.key()).release(command);
    }

    @Override
    public CompletionStage<WithdrawResult> withdraw(WithdrawCommand command) {
        return to(command.key()).withdraw(command);
    }

    @Override
    public CompletionStage<StoredLock> inspect(String key) {
        return to(key).inspect(key);
    }

    @Override
    public CompletionStage<Revocation> revoke(String key, long fencingToken) {
        return to(key).revoke(key, fencingToken);
    }

    @Override
    public Optional<CrashDetection> crashDetection(String key) {
        return to(key).crashDetection(key);
    }

    @Override
    public List<CrashDetection> crashDetections() {
        return backends.values().stream()
                .flatMap(backend -> backend.crashDetections().stream())
                .toList();
    }

    /** {@inheritDoc} The worst state of all: an application with locks in several backends needs each of them. */
    @Override
    public CompletionStage<StoreState> state() {
        CompletionStage<List<StoreState>> states = CompletableFuture.completedFuture(List.of());
        for (String backend : new TreeSet<>(backends.keySet())) {
            states = states.thenCombine(named(backend).state(), RoutedBackend::with);
        }
        return states.thenApply(RoutedBackend::worst);
    }

    /** {@inheritDoc} On if it is in one of them; the reason then says in which it is not. */
    @Override
    public CrashTakeOver crashTakeOver() {
        List<CrashTakeOver> all = new TreeSet<>(backends.keySet())
                .stream().map(backend -> named(backend).crashTakeOver()).toList();
        Set<CrashTakeOver.State> states =
                all.stream().map(CrashTakeOver::state).collect(Collectors.toCollection(TreeSet::new));
        boolean isOnSomewhere = states.contains(CrashTakeOver.State.ON);
        return new CrashTakeOver(
                isOnSomewhere ? CrashTakeOver.State.ON : Collections.max(states),
                joined(all, CrashTakeOver::reason),
                joined(all, CrashTakeOver::remedy));
    }

    private static String joined(List<CrashTakeOver> all, Function<CrashTakeOver, String> text) {
        return all.stream().map(text).filter(any -> !any.isEmpty()).collect(Collectors.joining(". "));
    }

    private static List<StoreState> with(List<StoreState> states, StoreState state) {
        return Stream.concat(states.stream(), Stream.of(state)).toList();
    }

    private static StoreState worst(List<StoreState> states) {
        return new StoreState(
                states.stream().map(StoreState::target).collect(Collectors.joining(", and ")),
                states.stream().flatMap(state -> state.failure().stream()).reduce((one, other) -> one + "; " + other),
                states.stream()
                        .map(StoreState::recovering)
                        .max(Comparator.naturalOrder())
                        .orElse(Duration.ZERO),
                states.stream()
                        .map(StoreState::guard)
                        .max(Comparator.naturalOrder())
                        .orElse(StoreState.Guard.UNNEEDED),
                states.stream().allMatch(StoreState::hearsSignals),
                states.stream().flatMap(state -> state.warnings().stream()).toList(),
                states.stream().flatMap(state -> state.nodes().stream()).toList());
    }

    @Override
    public void listen(String instanceId, SignalListener listener) {
        backends.values().forEach(backend -> backend.listen(instanceId, listener));
    }

    /** Where they keep locks. */
    @Override
    public String toString() {
        return new TreeSet<>(backends.keySet())
                .stream().map(backend -> named(backend).toString()).collect(Collectors.joining("; "));
    }

    /** Leaves them open: each is a bean of its own. */
    @Override
    public void close() {}
}
