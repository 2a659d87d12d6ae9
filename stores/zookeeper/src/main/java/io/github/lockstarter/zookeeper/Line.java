package io.github.lockstarter.zookeeper;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The nodes of a lock in the order in which they were created, as one answer of a server has them. The first one has
 * the lock.
 *
 * @param names of the nodes, first come first
 */
record Line(List<String> names) {

    /** What each name has before its number. */
    static final String PREFIX = "lock-";

    /** The server counts with 32 bits, and writes ten digits, or a sign and as many as there are. */
    private static final Pattern NAME = Pattern.compile(".*" + PREFIX + "(?:[0-9]{10}|-[0-9]{1,10})");

    static final Line EMPTY = new Line(List.of());

    static Line of(List<String> children) {
        // What lies beside the locks, such as a child that an operator made, takes no part.
        return new Line(children.stream()
                .filter(name -> NAME.matcher(name).matches())
                .sorted((a, b) -> compare(numberOf(a), numberOf(b)))
                .toList());
    }

    /** Numbers of one line lie close together; past the largest one, the server goes on with the smallest one. */
    private static int compare(int a, int b) {
        return Integer.signum(a - b);
    }

    private static int numberOf(String name) {
        return Integer.parseInt(name.substring(name.lastIndexOf(PREFIX) + PREFIX.length()));
    }

    boolean isEmpty() {
        return names.isEmpty();
    }

    boolean has(LockNode node) {
        return names.contains(node.name());
    }

    boolean isFirst(LockNode node) {
        return !names.isEmpty() && names.get(0).equals(node.name());
    }

    Optional<String> first() {
        return names.stream().findFirst();
    }

    /** How many are before the node. */
    int position(LockNode node) {
        return names.indexOf(node.name());
    }

    /** The one right before the node. */
    Optional<String> before(LockNode node) {
        int position = position(node);
        return position <= 0 ? Optional.empty() : Optional.of(names.get(position - 1));
    }

    /** The last one, if the node is before it. */
    Optional<String> lastBehind(LockNode node) {
        int last = names.size() - 1;
        return position(node) < last ? Optional.of(names.get(last)) : Optional.empty();
    }

    /** What the name of a node begins with that replaces another one. */
    static String prefixAfter(LockNode old) {
        return "after-" + Long.toHexString(old.czxid()) + '-' + PREFIX;
    }

    /** The one that has replaced the node. */
    Optional<String> after(LockNode old) {
        String prefix = prefixAfter(old);
        return names.stream().filter(name -> name.startsWith(prefix)).findFirst();
    }
}
