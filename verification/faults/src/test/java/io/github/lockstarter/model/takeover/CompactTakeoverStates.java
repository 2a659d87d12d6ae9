package io.github.lockstarter.model.takeover;

import io.github.lockstarter.model.Compaction;
import io.github.lockstarter.model.Interned;
import java.util.function.UnaryOperator;

/** Worlds as numbers of their parts. */
final class CompactTakeoverStates implements Compaction<TakeoverState, CompactTakeoverStates.Compact> {

    private final Interned<ServerPair> servers = new Interned<>(UnaryOperator.identity());
    private final Interned<Holder> holders = new Interned<>(UnaryOperator.identity());

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

    @Override
    public Compact compact(TakeoverState world) {
        return new Compact(servers.numberOf(world.servers()), holders.numberOf(world.holder()));
    }

    @Override
    public TakeoverState world(Compact state) {
        return new TakeoverState(servers.value(state.servers()), holders.value(state.holder()));
    }
}
