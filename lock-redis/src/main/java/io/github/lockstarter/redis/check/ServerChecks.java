package io.github.lockstarter.redis.check;

import io.github.lockstarter.redis.cause.ExceptionCauses;
import io.github.lockstarter.redis.connection.RedisConnections;
import io.github.lockstarter.redis.connection.RedisLink;
import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.spi.BlockingWait;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Checks the settings of every server that keeps locks. Takes about as long as the command timeout at most: each
 * command ends with it. A server that answers and does not report a setting, or that refuses to, causes no warning.
 */
public final class ServerChecks {

    private final RedisConnections connections;
    private final RedisConnector connector;
    private final RedisSettings settings;

    /**
     * Sends nothing yet.
     *
     * @param connections lead to the servers
     * @param connector leads the connections there
     * @param settings what locks need
     */
    public ServerChecks(RedisConnections connections, RedisConnector connector, RedisSettings settings) {
        this.connections = connections;
        this.connector = connector;
        this.settings = settings;
    }

    /** What puts locks at risk, whatever the servers say. Sends nothing. */
    public SettingsReport ofSettings() {
        return new SettingsReport(general(), Map.of());
    }

    private List<String> general() {
        return connector.isPromotedBySentinels() && settings.guard().trustsDeposedMasters()
                ? List.of("Redis at " + connector.target()
                        + " may go on granting locks after sentinels have promoted another"
                        + " master, and distributed-lock.redis.deposed-master-writes is 0s. Set min-replicas-to-write to the"
                        + " number of replicas, min-replicas-max-lag to at most a third of the shortest lease - 2s, and"
                        + " deposed-master-writes to min-replicas-max-lag + 2s (docs/guarantees.md, case 7)")
                : List.of();
    }

    /** Asks the servers what puts locks at risk there. Never fails. Blocks. */
    public SettingsReport run() {
        return BlockingWait.awaitUninterruptibly(ask());
    }

    /** Asks the servers what puts locks at risk there; never fails. */
    public CompletableFuture<SettingsReport> ask() {
        Map<String, CompletableFuture<Optional<String>>> answers = new LinkedHashMap<>();
        connections
                .servers()
                .forEach((server, link) -> answers.put(
                        server.isEmpty() ? connector.target() : server,
                        link.thenCompose(ServerChecks::ask).handle(ServerChecks::answer)));
        return CompletableFuture.allOf(answers.values().toArray(CompletableFuture[]::new))
                .thenApply(all -> report(answers));
    }

    private SettingsReport report(Map<String, CompletableFuture<Optional<String>>> answers) {
        Map<String, Optional<List<String>>> servers = new LinkedHashMap<>();
        answers.forEach((server, answer) ->
                servers.put(server, answer.getNow(Optional.empty()).map(info -> ServerState.of(info)
                        .warnings(server, settings)))); // all are complete
        return new SettingsReport(general(), servers);
    }

    /** Empty if no answer came; a server that refuses has answered. */
    private static Optional<String> answer(@Nullable String info, @Nullable Throwable failure) {
        return failure != null && ExceptionCauses.rootOf(failure) instanceof RedisCommandExecutionException
                ? Optional.of("")
                : Optional.ofNullable(info);
    }

    /** All that {@code INFO} says unless asked for more: servers before version 7 report one section or these. */
    private static CompletableFuture<String> ask(RedisLink link) {
        AsyncCommand<String, String, String> info = new AsyncCommand<>(new Command<>(
                CommandType.INFO, new StatusOutput<>(StringCodec.UTF8), new CommandArgs<>(StringCodec.UTF8)));
        StatefulConnection<String, String> connection = link.toServer();
        if (connection != null) {
            connection.dispatch(info);
        } else {
            info.complete();
        }
        return info.toCompletableFuture();
    }
}
