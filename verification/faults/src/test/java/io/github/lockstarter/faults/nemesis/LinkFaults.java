package io.github.lockstarter.faults.nemesis;

import io.github.lockstarter.faults.nemesis.Fault.Healing;
import io.github.lockstarter.faults.nemesis.Fault.Injection;
import io.github.lockstarter.faults.nemesis.Fault.Lane;
import io.github.lockstarter.faults.nemesis.Fault.Terms;
import io.github.lockstarter.faults.topology.Topology.Trait;
import io.github.lockstarter.kit.net.TcpProxy;
import java.util.List;
import java.util.function.Consumer;

/** Faults of the network between one worker, or all of them, and the servers. */
final class LinkFaults {

    private LinkFaults() {}

    static List<Fault> all() {
        return List.of(
                fault(
                        "link-cut",
                        "a worker's connections are closed",
                        Terms.lasting(50, 50, Trait.PROXIED),
                        one(TcpProxy::cut, link -> {})),
                fault(
                        "link-refused",
                        "a worker's connections are closed and new ones refused",
                        Terms.lasting(200, 2500, Trait.PROXIED),
                        one(
                                link -> {
                                    link.refuse();
                                    link.cut();
                                },
                                TcpProxy::accept)),
                fault(
                        "requests-stalled",
                        "requests of a worker arrive late",
                        Terms.lasting(200, 2500, Trait.PROXIED),
                        one(TcpProxy::stallRequests, TcpProxy::flow)),
                fault(
                        "replies-stalled",
                        "answers to a worker arrive late",
                        Terms.lasting(200, 2500, Trait.PROXIED),
                        one(TcpProxy::stallReplies, TcpProxy::flow)),
                fault(
                        "reply-dropped",
                        "a command is executed, and the connection cut in place of the answer",
                        Terms.lasting(150, 150, Trait.PROXIED),
                        LinkFaults::dropReply),
                fault(
                        "connections-forgotten",
                        "a firewall forgets a worker's connections: nothing passes, and neither side learns of it",
                        Terms.lasting(50, 50, Trait.PROXIED),
                        one(TcpProxy::forget, link -> {})),
                fault(
                        "hung-and-replaced",
                        "a worker's servers accept connections and say nothing, until others take their addresses",
                        Terms.lasting(500, 4000, Trait.PROXIED),
                        LinkFaults::hang),
                fault(
                        "network-stalled",
                        "all requests arrive late",
                        Terms.lasting(200, 2000, Trait.PROXIED),
                        all(TcpProxy::stallRequests, TcpProxy::flow)),
                fault(
                        "network-cut",
                        "all connections are closed",
                        Terms.lasting(50, 50, Trait.PROXIED),
                        all(TcpProxy::cut, link -> {})));
    }

    /** Every other time the old connections end, so that the worker connects to a server that hangs. */
    private static Healing hang(Site site) {
        List<TcpProxy> links = site.victim().links();
        links.forEach(TcpProxy::hang);
        if (site.plan().lot() % 2 == 0) {
            links.forEach(TcpProxy::cut);
        }
        return () -> links.forEach(TcpProxy::replace);
    }

    private static Healing dropReply(Site site) {
        site.victim().links().forEach(link -> link.dropReplyTo(site.topology()::isCommand));
        return Healing.NONE;
    }

    private static Injection one(Consumer<TcpProxy> harm, Consumer<TcpProxy> heal) {
        return site -> {
            List<TcpProxy> links = site.victim().links();
            links.forEach(harm);
            return () -> links.forEach(heal);
        };
    }

    private static Injection all(Consumer<TcpProxy> harm, Consumer<TcpProxy> heal) {
        return site -> {
            List<TcpProxy> links = site.victims().stream()
                    .flatMap(victim -> victim.links().stream())
                    .toList();
            links.forEach(harm);
            return () -> links.forEach(heal);
        };
    }

    private static Fault fault(String name, String description, Terms terms, Injection injection) {
        return new Fault(name, description, Lane.SERVER, terms, injection);
    }
}
