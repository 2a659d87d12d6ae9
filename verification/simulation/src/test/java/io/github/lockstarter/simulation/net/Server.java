package io.github.lockstarter.simulation.net;

import io.github.lockstarter.simulation.redis.SimRedis;
import io.github.lockstarter.simulation.time.Process;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** A Redis server on a machine of its own: its process, and the connections to it. */
public final class Server {

    /** The server. */
    public final SimRedis redis;

    private final String name;
    private final List<Wire> wires = new ArrayList<>();
    private final Set<Process> unreachableFor = new LinkedHashSet<>();
    private Process process;

    /** A server that runs. */
    public Server(String name, SimRedis redis) {
        this.name = name;
        this.redis = redis;
        this.process = new Process(name);
    }

    /** The process that executes commands. */
    public Process process() {
        return process;
    }

    void add(Wire wire) {
        wires.add(wire);
    }

    void remove(Wire wire) {
        wires.remove(wire);
    }

    /** The connections that the client's side has not given up, of all clients, the oldest first. */
    public List<Wire> wires() {
        return List.copyOf(wires);
    }

    /** The connections of one client. */
    public List<Wire> wiresOf(Process client) {
        return wires.stream().filter(wire -> wire.client() == client).toList();
    }

    /** Whether a client can open a connection. */
    public boolean isReachableFor(Process client) {
        return process.isRunning() && !unreachableFor.contains(client);
    }

    /** Packets between a client and this server are lost from now on, or arrive again. */
    public void reach(Process client, boolean reachable) {
        if (reachable) {
            unreachableFor.remove(client);
        } else {
            unreachableFor.add(client);
        }
    }

    /** The process ends; its machine closes the connections of all clients. */
    public void kill() {
        process.kill();
        redis.stop();
        wires().forEach(Wire::cut);
    }

    /** The process starts. */
    public void start() {
        process = new Process(name);
        redis.start();
    }

    /** Ends all connections, as a server does that becomes a replica. */
    public void disconnectAll() {
        wires().forEach(Wire::cut);
    }

    @Override
    public String toString() {
        return name;
    }
}
