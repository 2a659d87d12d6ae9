package io.github.lockstarter.faults.topology;

import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.kit.process.ServerProcess;
import io.github.lockstarter.kit.server.ZooKeeperServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** ZooKeeper servers: one, or three of which two are a majority. */
public final class ZooKeeper implements Topology {

    private static final Pattern SESSION = Pattern.compile("(?m)^0x([0-9a-f]+):");
    private static final Pattern NODE = Pattern.compile("(?m)^\t(/\\S*)");
    private static final Pattern CONNECTION = Pattern.compile("sid=0x([0-9a-f]+)");

    private final String name;
    private final List<ZooKeeperServer> servers;

    private ZooKeeper(String name, int count) {
        this.name = name;
        this.servers = ZooKeeperServer.startEnsemble(count);
    }

    /** Starts three servers; close the ensemble. */
    public static ZooKeeper ensemble() {
        return new ZooKeeper("zookeeper", 3);
    }

    /** Starts one server; close it. */
    public static ZooKeeper single() {
        return new ZooKeeper("zookeeper-single", 1);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Set<Trait> traits() {
        Set<Trait> traits = EnumSet.of(Trait.PROXIED, Trait.DURABLE, Trait.HALF_OPEN, Trait.TAKEOVER, Trait.SESSIONS);
        traits.add(servers.size() > 1 ? Trait.LEADER : Trait.ALONE);
        return traits;
    }

    @Override
    public List<ZooKeeperServer> servers() {
        return servers;
    }

    @Override
    public ServerProcess leader() {
        Roles.await("the servers have a leader", () -> servers.stream().anyMatch(ZooKeeperServer::isLeader));
        return servers.stream().filter(ZooKeeperServer::isLeader).findFirst().orElse(servers.get(0));
    }

    @Override
    public Link link() {
        List<TcpProxy> proxies =
                servers.stream().map(server -> TcpProxy.before(server)).toList();
        return new Link(Address.of(Address.Kind.ZOOKEEPER, proxies), proxies);
    }

    @Override
    public void endSession(int lot) {
        ZooKeeperServer any = servers.get(Math.floorMod(lot, servers.size()));
        List<String> sessions = found(SESSION, any.ask("dump"));
        if (!sessions.isEmpty()) {
            String session = sessions.get(Math.floorMod(lot, sessions.size()));
            ZooKeeperSession.close(any, Long.parseUnsignedLong(session, 16));
        }
    }

    /** A killed worker leaves its session until its timeout, which is at most a lease. */
    @Override
    public List<String> leftovers(Duration longestLease) {
        List<String> left = new ArrayList<>();
        for (ZooKeeperServer server : servers) {
            found(NODE, server.ask("dump")).forEach(node -> left.add("node " + node));
            found(CONNECTION, server.ask("cons")).stream()
                    .filter(session -> !session.equals("0"))
                    .forEach(session -> left.add("connection of session " + session));
        }
        return left;
    }

    private static List<String> found(Pattern pattern, String text) {
        return List.copyOf(new TreeSet<>(pattern.matcher(text)
                .results()
                .map((MatchResult match) -> match.group(1))
                .toList()));
    }

    @Override
    public void close() {
        servers.forEach(ZooKeeperServer::close);
    }
}
