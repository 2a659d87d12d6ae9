package io.github.lockstarter.model;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.BiConsumer;

/** Visits all states of a {@link TransitionSystem}, nearest first, until one of them is a violation. */
public final class Explorer<S, T> {

    private final TransitionSystem<S, T> system;
    private final int limit;

    /** Each state that was reached, and from where. The initial one is its own predecessor. */
    private final Map<S, S> predecessors = new HashMap<>(1 << 16);

    private final Queue<S> unexpanded = new ArrayDeque<>();

    private Explorer(TransitionSystem<S, T> system, int limit) {
        this.system = system;
        this.limit = limit;
    }

    /**
     * Explores a system.
     *
     * @throws IllegalStateException if it has more states than the limit, which indicates a modelling mistake
     */
    public static <S, T> ExplorationResult<S, T> explore(TransitionSystem<S, T> system, int limit) {
        return new Explorer<>(system, limit).explore();
    }

    /**
     * The same, with states that are small and quick to compare.
     *
     * @param <W> a state of the system
     */
    public static <W, C, T> ExplorationResult<W, T> explore(
            TransitionSystem<W, T> system, Compaction<W, C> compaction, int limit) {
        ExplorationResult<C, T> found = explore(new CompactSystem<>(system, compaction), limit);
        List<ExplorationResult.Move<W, T>> way = found.counterexample().stream()
                .map(move -> new ExplorationResult.Move<>(
                        compaction.world(move.before()), move.step(), compaction.world(move.after())))
                .toList();
        return new ExplorationResult<>(found.states(), found.depth(), way);
    }

    private record CompactSystem<W, C, T>(TransitionSystem<W, T> system, Compaction<W, C> compaction)
            implements TransitionSystem<C, T> {

        @Override
        public C initial() {
            return compaction.compact(system.initial());
        }

        @Override
        public void steps(C state, BiConsumer<T, C> found) {
            system.steps(compaction.world(state), (step, next) -> found.accept(step, compaction.compact(next)));
        }

        @Override
        public boolean isViolation(C state) {
            return system.isViolation(compaction.world(state));
        }
    }

    private ExplorationResult<S, T> explore() {
        S initial = system.initial();
        predecessors.put(initial, initial);
        unexpanded.add(initial);
        int depth = 0;
        while (!unexpanded.isEmpty()) {
            for (int left = unexpanded.size(); left > 0; left--) {
                S state = unexpanded.remove();
                if (system.isViolation(state)) {
                    return new ExplorationResult<>(predecessors.size(), depth, wayTo(state));
                }
                system.steps(state, (step, next) -> reach(next, state));
            }
            depth++;
        }
        return new ExplorationResult<>(predecessors.size(), depth - 1, List.of());
    }

    private void reach(S state, S from) {
        if (predecessors.putIfAbsent(state, from) == null) {
            if (predecessors.size() > limit) {
                throw new IllegalStateException("More than " + limit + " states, one of them: " + state);
            }
            unexpanded.add(state);
        }
    }

    private List<ExplorationResult.Move<S, T>> wayTo(S state) {
        ArrayDeque<ExplorationResult.Move<S, T>> way = new ArrayDeque<>();
        S after = state;
        S before = predecessors.get(after);
        while (!before.equals(after)) {
            way.addFirst(moveBetween(before, after));
            after = before;
            before = predecessors.get(after);
        }
        return List.copyOf(way);
    }

    /** Steps are not remembered but found again: that keeps a state cheap. */
    private ExplorationResult.Move<S, T> moveBetween(S before, S after) {
        List<T> steps = new ArrayList<>();
        system.steps(before, (step, next) -> {
            if (next.equals(after)) {
                steps.add(step);
            }
        });
        return new ExplorationResult.Move<>(before, steps.get(0), after);
    }
}
