package io.github.lockstarter.demo.gallery.caller;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a caller works with. It goes to the caller as one line of words.
 *
 * @param lock which lock
 * @param lockPorts servers of a broken lock
 * @param storePort server of the counter
 * @param properties of the starter, such as {@code distributed-lock.max-lease=2s}; no blanks
 */
public record CallerSetting(LockKind lock, List<Integer> lockPorts, int storePort, List<String> properties) {

    /** Copies. */
    public CallerSetting {
        lockPorts = List.copyOf(lockPorts);
        properties = List.copyOf(properties);
    }

    /**
     * As a line.
     *
     * @return words with blanks between them
     */
    public String line() {
        return Stream.concat(
                        Stream.of(
                                lock.name(),
                                lockPorts.stream().map(String::valueOf).collect(Collectors.joining(",")),
                                Integer.toString(storePort)),
                        properties.stream())
                .collect(Collectors.joining(" "));
    }

    static CallerSetting of(List<String> words) {
        return new CallerSetting(
                LockKind.valueOf(words.get(0)),
                Arrays.stream(words.get(1).split(","))
                        .filter(port -> !port.isEmpty())
                        .map(Integer::valueOf)
                        .toList(),
                Integer.parseInt(words.get(2)),
                words.subList(3, words.size()));
    }
}
