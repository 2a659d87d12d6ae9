package io.github.lockstarter.model.takeover;

import io.github.lockstarter.model.Exploration;
import io.github.lockstarter.model.Explorer;
import io.github.lockstarter.model.Interned;
import io.github.lockstarter.model.TransitionSystem;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;

/** The same system with states that are small and quick to compare. Worlds are many, but their parts are few. */
final class CompactWorlds implements TransitionSystem<CompactWorlds.Compact, Step> {

    private final TransitionSystem<World, Step> worlds;
    private final Interned<Servers> servers = new Interned<>(UnaryOperator.identity());
    private final Interned<Holder> holders = new Interned<>(UnaryOperator.identity());

    private CompactWorlds(TransitionSystem<World, Step> worlds) {
        this.worlds = worlds;
    }

    /** A world as numbers of its known parts. */
    record Compact(int servers, int holder) {

        // The search compares states; a record's own equals is slow without the optimizing compiler.
        @Override
        public boolean equals(Object object) {
            return object instanceof Compact other && servers == other.servers && holder == other.holder;
        }

        @Override
        public int hashCode() {
            return servers * 0x9E3779B1 + holder * 0x85EBCA6B;
        }
    }

    static Exploration<World, Step> explore(TransitionSystem<World, Step> worlds, int limit) {
        CompactWorlds compact = new CompactWorlds(worlds);
        Exploration<Compact, Step> found = Explorer.explore(compact, limit);
        List<Exploration.Move<World, Step>> way = found.counterexample().stream()
                .map(move ->
                        new Exploration.Move<>(compact.world(move.before()), move.step(), compact.world(move.after())))
                .toList();
        return new Exploration<>(found.states(), found.depth(), way);
    }

    @Override
    public Compact initial() {
        return compact(worlds.initial());
    }

    @Override
    public void steps(Compact state, BiConsumer<Step, Compact> found) {
        worlds.steps(world(state), (step, next) -> found.accept(step, compact(next)));
    }

    @Override
    public boolean isViolation(Compact state) {
        return worlds.isViolation(world(state));
    }

    private Compact compact(World world) {
        return new Compact(servers.numberOf(world.servers()), holders.numberOf(world.holder()));
    }

    private World world(Compact state) {
        return new World(servers.value(state.servers()), holders.value(state.holder()));
    }
}
