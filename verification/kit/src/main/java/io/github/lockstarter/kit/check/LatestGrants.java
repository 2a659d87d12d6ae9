package io.github.lockstarter.kit.check;

import io.github.lockstarter.kit.event.EventKind;
import io.github.lockstarter.kit.event.LabEvent;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The latest grants by worker and key. A handed-over hold belongs to the grant with the greatest fencing token that is
 * not above its own. Used by one thread, which adds events by time.
 */
final class LatestGrants {

    /** Enough, since a hold is logged before the next grant but one. */
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

    /** Takeover time in ns; 0 if only the lease counts. */
    long takeoverOf(LabEvent acquired) {
        TreeMap<Long, LabEvent> latest = grants.getOrDefault(id(acquired), new TreeMap<>());
        Map.Entry<Long, LabEvent> grant = latest.floorEntry(acquired.token());
        return grant == null ? 0 : grant.getValue().from();
    }

    private static String id(LabEvent event) {
        return event.worker() + '/' + event.key();
    }
}
