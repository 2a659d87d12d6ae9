package io.github.lockstarter.faults.nemesis;

import io.github.lockstarter.faults.nemesis.Fault.Healing;
import io.github.lockstarter.faults.nemesis.Fault.Injection;
import io.github.lockstarter.faults.nemesis.Fault.Lane;
import io.github.lockstarter.faults.nemesis.Fault.Terms;
import io.github.lockstarter.faults.topology.Topology.Trait;
import io.github.lockstarter.kit.net.ProxyLink;
import io.github.lockstarter.kit.net.TcpProxy;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Faults of a worker's mailbox connection, and of all its connections at one side only: a lock is taken over if the
 * servers do not receive anything from its holder.
 */
final class MailboxFaults {

    private MailboxFaults() {}

    static List<Fault> all() {
        return List.of(
                fault("mailbox-killed", "CLIENT KILL ID of a worker's mailbox", mailbox(20, 20), site -> {
                    Connections.of(site, ProxyLink::isSubscription).kill();
                    return Healing.NONE;
                }),
                fault(
                        "mailbox-flapping",
                        "CLIENT KILL ID of a worker's mailbox, again and again",
                        mailbox(1000, 4000),
                        again(ProxyLink::isSubscription)),
                fault(
                        "connections-flapping",
                        "CLIENT KILL ID of all connections of a worker, again and again",
                        mailbox(1000, 4000),
                        again(MailboxFaults::isAny)),
                fault(
                        "mailbox-barred",
                        "a worker's mailbox is closed and not opened again; its commands pass",
                        mailbox(500, 4000),
                        MailboxFaults::bar),
                fault(
                        "mailbox-cut-at-worker",
                        "a worker's mailbox is closed at its side; the servers' side stays open",
                        mailbox(200, 4000),
                        half(ProxyLink::isSubscription, ProxyLink::closeToClient)),
                fault(
                        "mailbox-cut-at-server",
                        "a worker's mailbox is closed at the servers' side; its own stays open",
                        mailbox(200, 4000),
                        half(ProxyLink::isSubscription, ProxyLink::closeToServer)),
                fault(
                        "connections-cut-at-server",
                        "all connections of a worker are closed at the servers' side; its own stays open",
                        halfOpen(200, 2500),
                        half(MailboxFaults::isAny, ProxyLink::closeToServer)),
                fault(
                        "connections-reset-at-worker",
                        "all connections of a worker are reset at its side; the servers' side stays open",
                        halfOpen(200, 2500),
                        half(MailboxFaults::isAny, ProxyLink::resetToClient)),
                fault(
                        "connections-reset-at-server",
                        "all connections of a worker are reset at the servers' side; its own stays open",
                        halfOpen(200, 2500),
                        half(MailboxFaults::isAny, ProxyLink::resetToServer)),
                fault(
                        "replies-ended",
                        "a worker reads the end of its connections; its requests arrive",
                        halfOpen(200, 2500),
                        half(MailboxFaults::isAny, ProxyLink::endReplies)),
                fault(
                        "requests-ended",
                        "the servers read the end of a worker's connections; their answers arrive",
                        halfOpen(200, 2500),
                        half(MailboxFaults::isAny, ProxyLink::endRequests)),
                fault(
                        "worker-cut-off",
                        "a worker is refused, and its connections closed at its side; the servers' side stays open",
                        halfOpen(500, 4000),
                        MailboxFaults::cutOff));
    }

    private static Injection again(Predicate<ProxyLink> which) {
        return site -> {
            long gap = (20 + site.plan().lot() % 400) * 1_000_000L;
            long end = System.nanoTime() + site.duration().toNanos();
            while (System.nanoTime() < end) {
                Connections.of(site, which).kill();
                LockSupport.parkNanos(gap);
            }
            return Healing.NONE;
        };
    }

    private static Healing bar(Site site) {
        List<TcpProxy> links = site.victim().links();
        links.forEach(link -> link.refuseRequests(request -> request.contains("SUBSCRIBE")));
        open(links, ProxyLink::isSubscription).forEach(ProxyLink::close);
        return () -> links.forEach(TcpProxy::accept);
    }

    private static Injection half(Predicate<ProxyLink> which, Consumer<ProxyLink> harm) {
        return site -> {
            List<ProxyLink> struck = open(site.victim().links(), which);
            struck.forEach(harm);
            return () -> struck.forEach(ProxyLink::close);
        };
    }

    private static Healing cutOff(Site site) {
        List<TcpProxy> links = site.victim().links();
        links.forEach(TcpProxy::refuse);
        List<ProxyLink> struck = open(links, MailboxFaults::isAny);
        struck.forEach(ProxyLink::closeToClient);
        return () -> {
            struck.forEach(ProxyLink::close);
            links.forEach(TcpProxy::accept);
        };
    }

    private static boolean isAny(ProxyLink link) {
        return true;
    }

    private static List<ProxyLink> open(List<TcpProxy> links, Predicate<ProxyLink> which) {
        return links.stream()
                .flatMap(link -> link.open().stream())
                .filter(which)
                .toList();
    }

    private static Terms mailbox(int shortestMillis, int longestMillis) {
        return Terms.lasting(shortestMillis, longestMillis, Trait.REDIS, Trait.PROXIED, Trait.TAKEOVER);
    }

    private static Terms halfOpen(int shortestMillis, int longestMillis) {
        return Terms.lasting(shortestMillis, longestMillis, Trait.PROXIED, Trait.HALF_OPEN);
    }

    private static Fault fault(String name, String description, Terms terms, Injection injection) {
        return new Fault(name, description, Lane.SERVER, terms, injection);
    }
}
