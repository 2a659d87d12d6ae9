package io.github.lockstarter.zookeeper;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The queue of a lock in one answer of a server. The first node has the lock.
 *
 * @param names of the nodes, in the order of their creation
 */
record QueueSnapshot(List<String> names) {

    /** Precedes the number in each name. */
    static final String PREFIX = "lock-";

    /** The server counts with 32 bits, and writes ten digits, or a sign and up to ten. */
    private static final Pattern NAME = Pattern.compile(".*" + PREFIX + "(?:[0-9]{10}|-[0-9]{1,10})");

    static final QueueSnapshot EMPTY = new QueueSnapshot(List.of());

    /** Ignores other children, such as one that an operator created. */
    static QueueSnapshot of(List<String> children) {
        return new QueueSnapshot(children.stream()
                .filter(name -> NAME.matcher(name).matches())
                .sorted((a, b) -> compare(numberOf(a), numberOf(b)))
                .toList());
    }

    /** Numbers of one queue are close together; the largest is followed by the smallest. */
    private static int compare(int a, int b) {
        return Integer.signum(a - b);
    }

    private static int numberOf(String name) {
        return Integer.parseInt(name.substring(name.lastIndexOf(PREFIX) + PREFIX.length()));
    }

    boolean has(LockNode node) {
        return names.contains(node.name());
    }

    boolean isFirst(LockNode node) {
        return first().equals(Optional.of(node.name()));
    }

    Optional<String> first() {
        return names.stream().findFirst();
    }

    int position(LockNode node) {
        return names.indexOf(node.name());
    }

    Optional<String> before(LockNode node) {
        int position = position(node);
        return position <= 0 ? Optional.empty() : Optional.of(names.get(position - 1));
    }

    /** The last node, if this one is before it. */
    Optional<String> lastBehind(LockNode node) {
        int last = names.size() - 1;
        return position(node) < last ? Optional.of(names.get(last)) : Optional.empty();
    }

    static String prefixOf(String attempt) {
        return attempt + '-' + PREFIX;
    }

    /** Several if answers to its creation were lost. */
    List<String> createdBy(String attempt) {
        String part = prefixOf(attempt);
        return names.stream().filter(name -> name.contains(part)).toList();
    }

    static String prefixAfter(LockNode old) {
        return "after-" + Long.toHexString(old.czxid()) + '-' + PREFIX;
    }

    Optional<String> replacementOf(LockNode old) {
        String prefix = prefixAfter(old);
        return names.stream().filter(name -> name.startsWith(prefix)).findFirst();
    }
}
