package io.github.lockstarter.kit.check;

import io.github.lockstarter.kit.event.EventKind;
import io.github.lockstarter.kit.event.LabEvent;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What happened in a session, put together from the events of all workers and of the nemesis. Immutable. */
public final class History {

    /** What a fault is called that makes the backend forget: {@code FAULT.note} begins with it. */
    public static final String FORGETS = "forgets:";

    /** What a fault is called by which an operator takes locks away. */
    public static final String REVOKES = "revokes:";

    /** {@code STORE.note} of a store where a release wakes the instance that has waited longest, and no other. */
    public static final String WAKES_IN_ORDER = "IN_ORDER";

    private final Map<EventKind, List<LabEvent>> events;
    private final long end;
    private final long lease;
    private final Map<String, List<Hold>> holds;
    private final Map<String, List<Span>> stalls;
    private final Map<String, List<Span>> lateAnswers;
    private final List<Span> faults;
    private final List<Span> forgetting;
    private final List<Span> revoking;
    private final long session;
    private final long begunAnew;
    private final boolean wakesInOrder;
    private final Map<String, LabEvent> kills;
    private final Set<String> ended;
    private final Set<String> starters;
    private final Set<String> workers;

    /**
     * Puts events together.
     *
     * @param events of all logs, by time
     */
    public History(List<LabEvent> events) {
        this.events = events.stream().collect(Collectors.groupingBy(LabEvent::kind));
        this.end = events.isEmpty() ? 0 : events.get(events.size() - 1).at();
        this.lease =
                of(EventKind.STARTED).stream().mapToLong(LabEvent::amount).max().orElse(0);
        this.kills =
                of(EventKind.KILLED).stream().collect(Collectors.toMap(LabEvent::worker, event -> event, (a, b) -> a));
        this.ended = of(EventKind.ENDED).stream().map(LabEvent::worker).collect(Collectors.toSet());
        this.starters = of(EventKind.STARTED).stream()
                .filter(event -> event.note().equals("STARTER"))
                .map(LabEvent::worker)
                .collect(Collectors.toSet());
        this.workers = of(EventKind.STARTED).stream().map(LabEvent::worker).collect(Collectors.toSet());
        this.stalls = of(EventKind.STALLED).stream()
                .map(event -> new Span(event.worker(), "stalled", event.from(), event.until()))
                .collect(Collectors.groupingBy(Span::whom));
        this.lateAnswers = of(EventKind.ANSWERED_LATE).stream()
                .map(event -> new Span(event.worker(), "waiting for the store", event.from(), event.until()))
                .collect(Collectors.groupingBy(Span::whom));
        this.faults = of(EventKind.FAULT).stream().map(History::fault).toList();
        this.forgetting = faultsMarked(FORGETS);
        this.revoking = faultsMarked(REVOKES);
        this.session =
                of(EventKind.STORE).stream().mapToLong(LabEvent::amount).max().orElse(0);
        this.begunAnew =
                of(EventKind.STORE).stream().mapToLong(LabEvent::until).max().orElse(0);
        this.wakesInOrder =
                of(EventKind.STORE).stream().allMatch(event -> event.note().equals(WAKES_IN_ORDER));
        this.holds = new TreeMap<>(collectHolds(events).stream()
                .sorted(Comparator.comparingLong(Hold::grantedAt))
                .collect(Collectors.groupingBy(Hold::key)));
    }

    /**
     * The events of one kind.
     *
     * @param kind which
     * @return by time
     */
    public List<LabEvent> of(EventKind kind) {
        return events.getOrDefault(kind, List.of());
    }

    /**
     * All holds.
     *
     * @return by key, each list in the order of the grants
     */
    public Map<String, List<Hold>> holds() {
        return holds;
    }

    /**
     * How many holds there were.
     *
     * @return nested ones not counted
     */
    public long holdCount() {
        return holds.values().stream().mapToLong(List::size).sum();
    }

    /**
     * What the nemesis did.
     *
     * @return by time of its end
     */
    public List<Span> faults() {
        return faults;
    }

    /**
     * Those faults that struck more than one worker's process: its links, or servers.
     *
     * @return by time of their end
     */
    List<Span> outsideFaults() {
        return faults.stream().filter(fault -> !workers.contains(fault.whom())).toList();
    }

    /**
     * Those faults that made servers forget.
     *
     * @return by time of their end
     */
    List<Span> forgetting() {
        return forgetting;
    }

    /**
     * Those faults by which an operator took the locks of an instance away.
     *
     * @return by time of their end
     */
    List<Span> revoking() {
        return revoking;
    }

    /**
     * The time-out of the sessions with which locks end.
     *
     * @return ns; 0 if the store keeps a lease for each lock
     */
    long sessionNanos() {
        return session;
    }

    /**
     * How much longer a lock of a dead holder may stay, since servers that elect a leader begin sessions or leases
     * anew: each fault of the time may have them do so.
     *
     * @param from nanoTime
     * @param until nanoTime
     * @return ns
     */
    long begunAnew(long from, long until) {
        return begunAnew
                * outsideFaults().stream()
                        .filter(fault -> fault.touches(from - begunAnew, until))
                        .count();
    }

    /**
     * Within which time the holder learns that an operator has taken its lock away: it asks when it renews.
     *
     * @return ns
     */
    long untilLearnt() {
        return Math.max(session, lease * 4 / 3) + Allowance.AFTERMATH.toNanos();
    }

    /**
     * Whether a release wakes the instance that has waited longest, and no other.
     *
     * @return false where the store wakes all, or nobody
     */
    boolean wakesInOrder() {
        return wakesInOrder;
    }

    /**
     * When the threads of a worker stood still.
     *
     * @param worker with the number of its incarnation
     * @return by time
     */
    List<Span> stalls(String worker) {
        return stalls.getOrDefault(worker, List.of());
    }

    /**
     * Whether a worker waited for a late answer of its store.
     *
     * @param worker with the number of its incarnation
     * @param from nanoTime
     * @param until nanoTime
     * @return true if so, at any moment of that time
     */
    boolean waitedForTheStore(String worker, long from, long until) {
        return lateAnswers.getOrDefault(worker, List.of()).stream().anyMatch(late -> late.touches(from, until));
    }

    /**
     * For how long the threads of all workers stood still; what several did at a time counts as often.
     *
     * @param from nanoTime
     * @param until nanoTime
     * @return ns
     */
    long stalled(long from, long until) {
        return stalls.values().stream()
                .mapToLong(spans -> Span.covered(spans, from, until))
                .sum();
    }

    /**
     * When a killed worker was certainly gone.
     *
     * @param worker with the number of its incarnation
     * @return nanoTime; {@link Long#MAX_VALUE} if it was not killed
     */
    long goneAt(String worker) {
        LabEvent kill = kills.get(worker);
        return kill == null ? Long.MAX_VALUE : kill.until();
    }

    /**
     * Whether the worker ended in an orderly way, so that nothing of it is missing in the logs.
     *
     * @param worker with the number of its incarnation
     * @return false if it was killed
     */
    boolean hasEnded(String worker) {
        return ended.contains(worker);
    }

    /**
     * Whether the worker's client is this starter, which promises more than others.
     *
     * @param worker with the number of its incarnation
     * @return false for others
     */
    boolean isStarter(String worker) {
        return starters.contains(worker);
    }

    /**
     * The default lease of all workers.
     *
     * @return ns
     */
    long leaseNanos() {
        return lease;
    }

    private List<Span> faultsMarked(String mark) {
        return of(EventKind.FAULT).stream()
                .filter(event -> event.note().startsWith(mark))
                .map(History::fault)
                .toList();
    }

    private static Span fault(LabEvent event) {
        String name = event.note().substring(event.note().indexOf(':') + 1);
        return new Span(event.key(), name, event.from(), event.until());
    }

    private List<Hold> collectHolds(List<LabEvent> events) {
        Map<String, HoldDraft> open = new HashMap<>();
        List<HoldDraft> all = new ArrayList<>();
        LatestGrants grants = new LatestGrants();
        for (LabEvent event : events) {
            grants.add(event);
            String id = event.worker() + '/' + event.key() + '#' + event.token();
            if (event.kind() == EventKind.ACQUIRED) {
                HoldDraft draft = new HoldDraft(event, grants.takeOverOf(event));
                all.add(draft);
                open.put(id, draft);
            } else if (event.token() != 0 && open.containsKey(id)) {
                open.get(id).add(event);
            }
        }
        return all.stream()
                .map(draft -> draft.toHold(kills.get(draft.worker()), end))
                .toList();
    }
}
