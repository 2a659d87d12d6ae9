package io.github.lockstarter.redis.check;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The settings that put locks at risk. A server that did not answer is not a server without warnings. Immutable.
 *
 * @param general warnings about the client's own settings
 * @param servers the warnings about each server, by its address; empty for a server that did not answer
 */
public record SettingsReport(List<String> general, Map<String, Optional<List<String>>> servers) {

    /** All warnings, of the client's settings first. */
    public List<String> warnings() {
        return Stream.concat(
                        general.stream(),
                        servers.values().stream().flatMap(Optional::stream).flatMap(List::stream))
                .toList();
    }

    /** Whether each server answered. */
    public boolean isComplete() {
        return servers.values().stream().allMatch(Optional::isPresent);
    }

    /**
     * Adds the earlier answers of the servers that did not answer this time.
     *
     * @param earlier the report before
     * @return with the latest answer of each server that this report names
     */
    public SettingsReport orElse(SettingsReport earlier) {
        Map<String, Optional<List<String>>> latest = new LinkedHashMap<>();
        servers.forEach((server, answer) ->
                latest.put(server, answer.or(() -> earlier.servers().getOrDefault(server, Optional.empty()))));
        return new SettingsReport(general, latest);
    }
}
