package io.github.lockstarter.model.takeover;

import io.github.lockstarter.model.takeover.Step.Kind;
import java.util.function.BiConsumer;

/** Events of servers. */
final class ServerSteps implements CrashTakeoverModel.Steps {

    private final Rules rules;

    ServerSteps(Rules rules) {
        this.rules = rules;
    }

    @Override
    public void of(World world, BiConsumer<Step, World> found) {
        Servers servers = world.servers();
        if (!servers.isPromoted()) {
            if (rules.has(Fault.FAILOVER)) {
                found.accept(Step.of(Kind.REPLICATE), world.with(servers.replicated()));
                found.accept(Step.of(Kind.PROMOTE), world.with(servers.promoted()));
            }
            if (rules.haveRestart()) {
                found.accept(Step.of(Kind.SAVE), world.with(servers.replicated()));
                found.accept(Step.of(Kind.RESTART), world.with(servers.restarted(servers.second())));
                Server none = Server.empty(rules.locks());
                found.accept(Step.of(Kind.RESTART_EMPTY), world.with(servers.restarted(none)));
            }
        }
    }
}
