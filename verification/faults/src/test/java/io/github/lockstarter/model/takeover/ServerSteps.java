package io.github.lockstarter.model.takeover;

import io.github.lockstarter.model.takeover.TakeoverStep.Kind;
import java.util.function.BiConsumer;

/** Events of servers. */
final class ServerSteps implements CrashTakeoverModel.Steps {

    private final TakeoverRules rules;

    ServerSteps(TakeoverRules rules) {
        this.rules = rules;
    }

    @Override
    public void of(TakeoverState world, BiConsumer<TakeoverStep, TakeoverState> found) {
        ServerPair servers = world.servers();
        if (!servers.isPromoted()) {
            if (rules.has(TakeoverFault.FAILOVER)) {
                found.accept(TakeoverStep.of(Kind.REPLICATE), world.with(servers.replicated()));
                found.accept(TakeoverStep.of(Kind.PROMOTE), world.with(servers.promoted()));
            }
            if (rules.haveRestart()) {
                found.accept(TakeoverStep.of(Kind.SAVE), world.with(servers.replicated()));
                found.accept(TakeoverStep.of(Kind.RESTART), world.with(servers.restarted(servers.second())));
                TakeoverServer none = TakeoverServer.empty(rules.locks());
                found.accept(TakeoverStep.of(Kind.RESTART_EMPTY), world.with(servers.restarted(none)));
            }
        }
    }
}
