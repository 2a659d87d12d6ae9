package io.github.lockstarter.kit.check;

import io.github.lockstarter.kit.event.EventKind;
import io.github.lockstarter.kit.event.LabEvent;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The last grants of each key to each worker, by fencing token. A hold that was handed over belongs to the grant with
 * the greatest token that is not above its own. Used by one thread, which adds the events by time.
 */
final class LatestGrants {

    /** A hold is written down before the grant after the next one is. */
    private static final int KEPT = 4;

    private final Map<String, TreeMap<Long, LabEvent>> grants = new HashMap<>();

    void add(LabEvent event) {
        if (event.kind() == EventKind.GRANTED) {
            TreeMap<Long, LabEvent> latest = grants.computeIfAbsent(id(event), each -> new TreeMap<>());
            latest.put(event.token(), event);
            if (latest.size() > KEPT) {
                latest.pollFirstEntry();
            }
        }
    }

    /** The take-over time of what was acquired, in ns; 0 if the lease decides alone. */
    long takeOverOf(LabEvent acquired) {
        TreeMap<Long, LabEvent> latest = grants.getOrDefault(id(acquired), new TreeMap<>());
        Map.Entry<Long, LabEvent> grant = latest.floorEntry(acquired.token());
        return grant == null ? 0 : grant.getValue().from();
    }

    private static String id(LabEvent event) {
        return event.worker() + '/' + event.key();
    }
}
