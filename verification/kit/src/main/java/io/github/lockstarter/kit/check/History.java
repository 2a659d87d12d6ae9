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

/** The history of a session, from the events of all workers and the nemesis. Immutable. */
public final class History {

    /** Prefix of {@code FAULT.note} for faults that make the store lose data. */
    public static final String FORGETS = "forgets:";

    /** Prefix for faults in which an operator revokes locks. */
    public static final String REVOKES = "revokes:";

    /** {@code STORE.note} of a store in which a release wakes only the instance that has waited longest. */
    public static final String WAKES_IN_ORDER = "IN_ORDER";

    private final Map<EventKind, List<LabEvent>> events;
    private final long end;
    private final long lease;
    private final Map<String, List<LoggedHold>> holds;
    private final Map<String, List<Span>> stalls;
    private final Map<String, List<Span>> lateAnswers;
    private final List<Span> faults;
    private final List<Span> forgetting;
    private final List<Span> revoking;
    private final long session;
    private final long electionDelay;
    private final boolean wakesInOrder;
    private final Map<String, LabEvent> kills;
    private final Set<String> ended;
    private final Set<String> starters;
    private final Set<String> workers;

    /** Takes the events of all logs by time. */
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
                .collect(Collectors.groupingBy(Span::target));
        this.lateAnswers = of(EventKind.ANSWERED_LATE).stream()
                .map(event -> new Span(event.worker(), "waiting for the store", event.from(), event.until()))
                .collect(Collectors.groupingBy(Span::target));
        this.faults = of(EventKind.FAULT).stream().map(History::fault).toList();
        this.forgetting = faultsMarked(FORGETS);
        this.revoking = faultsMarked(REVOKES);
        this.session =
                of(EventKind.STORE).stream().mapToLong(LabEvent::amount).max().orElse(0);
        this.electionDelay =
                of(EventKind.STORE).stream().mapToLong(LabEvent::until).max().orElse(0);
        this.wakesInOrder =
                of(EventKind.STORE).stream().allMatch(event -> event.note().equals(WAKES_IN_ORDER));
        this.holds = new TreeMap<>(collectHolds(events).stream()
                .sorted(Comparator.comparingLong(LoggedHold::grantedAt))
                .collect(Collectors.groupingBy(LoggedHold::exclusive)));
    }

    /** Returns the events of one kind by time. */
    public List<LabEvent> of(EventKind kind) {
        return events.getOrDefault(kind, List.of());
    }

    /** Returns the holds by key, those of readers with those of the lock, in the order of the grants. */
    public Map<String, List<LoggedHold>> holds() {
        return holds;
    }

    /** Returns the number of holds, without nested ones. */
    public long holdCount() {
        return holds.values().stream().mapToLong(List::size).sum();
    }

    /** Returns the faults by the time of their end. */
    public List<Span> faults() {
        return faults;
    }

    /** Faults of links or servers, as opposed to a worker's process. */
    List<Span> outsideFaults() {
        return faults.stream()
                .filter(fault -> !workers.contains(fault.target()))
                .toList();
    }

    List<Span> forgetting() {
        return forgetting;
    }

    List<Span> revoking() {
        return revoking;
    }

    /** Session timeout in ns; 0 if each lock has its own lease. */
    long sessionNanos() {
        return session;
    }

    /**
     * By how many ns the lock of a dead holder may last longer, because an elected leader restarts sessions or leases.
     * Each fault in this period may cause an election.
     */
    long electionDelay(long from, long until) {
        return electionDelay
                * outsideFaults().stream()
                        .filter(fault -> fault.touches(from - electionDelay, until))
                        .count();
    }

    /** Time in ns within which a holder detects a revocation: by its next renewal. */
    long revocationDelay() {
        return Math.max(session, lease * 4 / 3) + Allowance.AFTERMATH.toNanos();
    }

    boolean wakesInOrder() {
        return wakesInOrder;
    }

    /** Stalls of a worker by time. Workers are named with the number of their incarnation. */
    List<Span> stalls(String worker) {
        return stalls.getOrDefault(worker, List.of());
    }

    /** Whether the worker was waiting for a late answer of its store at any time of the period. */
    boolean waitedForStore(String worker, long from, long until) {
        return lateAnswers.getOrDefault(worker, List.of()).stream().anyMatch(late -> late.touches(from, until));
    }

    /** Sum of the stalls of all workers in ns; simultaneous ones are added up. */
    long stalled(long from, long until) {
        return stalls.values().stream()
                .mapToLong(spans -> Span.covered(spans, from, until))
                .sum();
    }

    /** When a killed worker was certainly dead; {@link Long#MAX_VALUE} if it was not killed. */
    long deadAt(String worker) {
        LabEvent kill = kills.get(worker);
        return kill == null ? Long.MAX_VALUE : kill.until();
    }

    /** Whether the worker shut down, so that its log is complete. */
    boolean hasEnded(String worker) {
        return ended.contains(worker);
    }

    /** Whether the worker's client is this starter, which promises more than others. */
    boolean isStarter(String worker) {
        return starters.contains(worker);
    }

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

    /** Which of the readers that share a hold leaves makes no difference: it is the first. */
    private static void add(LabEvent event, List<HoldDraft> present) {
        for (HoldDraft each : present) {
            if (each.add(event)) {
                break;
            }
        }
    }

    private List<LoggedHold> collectHolds(List<LabEvent> events) {
        Map<String, List<HoldDraft>> open = new HashMap<>();
        List<HoldDraft> all = new ArrayList<>();
        LatestGrants grants = new LatestGrants();
        for (LabEvent event : events) {
            grants.add(event);
            String id = event.worker() + '/' + event.key() + '#' + event.token();
            if (event.kind() == EventKind.ACQUIRED) {
                HoldDraft draft = new HoldDraft(event, grants.takeoverOf(event));
                all.add(draft);
                List<HoldDraft> present = open.computeIfAbsent(id, first -> new ArrayList<>(1));
                present.removeIf(each -> !LabEvent.isRead(event.key()) || each.hasReturned());
                present.add(draft);
            } else if (event.token() != 0) {
                add(event, open.getOrDefault(id, List.of()));
            }
        }
        return all.stream()
                .map(draft -> draft.toHold(kills.get(draft.worker()), end))
                .toList();
    }
}
