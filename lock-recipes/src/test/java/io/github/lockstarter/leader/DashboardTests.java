package io.github.lockstarter.leader;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.cache.MissedValue;
import io.github.lockstarter.engine.LockEngine;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.local.LocalLockBackend;
import io.github.lockstarter.observe.LockMetrics;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The queries of the dashboard and of the alerts use metrics and labels that Prometheus receives from a real engine.
 */
class DashboardTests {

    private static final Path DASHBOARD = Path.of("..", "docs", "dashboards", "distributed-locks.json");

    private static final Path MANUAL = Path.of("..", "docs", "operations.md");

    private static final Path ALERTS = Path.of("..", "docs", "dashboards", "distributed-locks-alerts.yaml");

    /** Labels that Prometheus adds to each series. */
    private static final Set<String> OF_PROMETHEUS = Set.of("job", "instance");

    private static final Pattern SELECTOR = Pattern.compile("(distributed_lock_\\w+)(?:\\{([^}]*)})?");
    private static final Pattern LABEL = Pattern.compile("(\\w+)\\s*(=~|!=|!~|=)\\s*\"([^\"]*)\"");
    private static final Pattern GROUPED = Pattern.compile("by \\(([^)]*)\\)|^label_values\\(.*, (\\w+)\\)$");
    private static final Pattern SERIES = Pattern.compile("(?m)^(distributed_lock_\\w+)(?:\\{([^}]*)})? ");

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    /** Values of each label of each metric. */
    private final Map<String, Map<String, Set<String>>> scraped = scrape();

    @Test
    void everyMetricAndLabelOfTheDashboardExists() throws IOException {
        List<String> queries = queries();

        assertThat(queries).hasSizeGreaterThan(10);
        assertThat(queries).allSatisfy(query -> assertThat(problemsOf(query)).isEmpty());
    }

    @Test
    void everyMetricAndLabelOfTheAlertsExists() throws IOException {
        List<String> expressions = Pattern.compile("(?m)^ +expr: (.+)$")
                .matcher(Files.readString(ALERTS))
                .results()
                .map(rule -> rule.group(1))
                .toList();

        assertThat(expressions).hasSize(11);
        assertThat(expressions).allSatisfy(expression -> assertThat(expression)
                .as("two samples with Prometheus' scrape_interval of 1m")
                .doesNotContain("[1m]"));
        assertThat(expressions)
                .allSatisfy(expression -> assertThat(problemsOf(expression)).isEmpty());
    }

    @Test
    void everyMeterIsOnTheDashboard() throws IOException {
        String all = String.join("\n", queries());

        assertThat(registry.getMeters()).hasSizeGreaterThan(20).allSatisfy(meter -> assertThat(all)
                .contains(meter.getId().getName().replace('.', '_')));
    }

    @Test
    void everyMeterIsInTheManual() throws IOException {
        String manual = Files.readString(MANUAL);

        assertThat(registry.getMeters()).allSatisfy(meter -> assertThat(manual)
                .contains('`' + meter.getId().getName() + '`'));
    }

    @Test
    void theCheckFindsAnUnknownMetricLabelOrValue() {
        assertThat(problemsOf("sum(distributed_lock_stolen_total)")).hasSize(1);
        assertThat(problemsOf("sum(distributed_lock_held{key=\"a\"})")).hasSize(1);
        assertThat(problemsOf("sum by (outcome) (distributed_lock_held)")).hasSize(1);
        assertThat(problemsOf("label_values(distributed_lock_held, key)")).hasSize(1);
        assertThat(problemsOf("distributed_lock_renewals_total{outcome=\"stolen\"}"))
                .hasSize(1);
        assertThat(problemsOf("sum by (name, instance) (distributed_lock_held{name=~\"$name\"})"))
                .isEmpty();
    }

    private static List<String> queries() throws IOException {
        List<String> ofPanels = JsonPath.read(DASHBOARD.toFile(), "$..[?(@.expr)].expr");
        List<String> ofVariables = JsonPath.read(DASHBOARD.toFile(), "$..[?(@.definition)].definition");
        return Stream.concat(ofPanels.stream(), ofVariables.stream()).toList();
    }

    private Set<String> problemsOf(String query) {
        Set<String> problems = new TreeSet<>();
        Matcher selectors = SELECTOR.matcher(query);
        while (selectors.find()) {
            String metric = selectors.group(1);
            Map<String, Set<String>> labels = scraped.get(metric);
            if (labels == null) {
                problems.add("no metric " + metric);
                continue;
            }
            Stream<String> matched = LABEL.matcher(selectors.group(2) == null ? "" : selectors.group(2))
                    .results()
                    .flatMap(label -> problemOf(metric, labels, label));
            Stream<String> grouped = GROUPED.matcher(query)
                    .results()
                    .flatMap(group -> Pattern.compile(", *")
                            .splitAsStream(group.group(1) == null ? group.group(2) : group.group(1)))
                    .filter(Predicate.not(label -> exists(labels, label)))
                    .map(label -> "no label " + label + " of " + metric);
            problems.addAll(Stream.concat(matched, grouped).collect(Collectors.toSet()));
        }
        return problems;
    }

    private static Stream<String> problemOf(String metric, Map<String, Set<String>> labels, MatchResult label) {
        if (!exists(labels, label.group(1))) {
            return Stream.of("no label " + label.group(1) + " of " + metric);
        }
        boolean known = !label.group(2).equals("=")
                || labels.getOrDefault(label.group(1), Set.of()).contains(label.group(3));
        return known ? Stream.empty() : Stream.of("no value " + label.group(3) + " of " + label.group(1));
    }

    private static boolean exists(Map<String, Set<String>> labels, String label) {
        return labels.containsKey(label) || OF_PROMETHEUS.contains(label);
    }

    private Map<String, Map<String, Set<String>>> scrape() {
        registry.config().meterFilter(new MeterFilter() {
            @Override
            public DistributionStatisticConfig configure(Meter.Id id, DistributionStatisticConfig config) {
                return DistributionStatisticConfig.builder()
                        .percentilesHistogram(true)
                        .build()
                        .merge(config);
            }
        });
        List<LockListener> metrics = List.of(new LockMetrics(registry, List::of), new LeaderMetrics(registry));
        try (LocalLockBackend backend = new LocalLockBackend();
                LockEngine engine = new LockEngine(backend, EngineSettings.DEFAULTS, metrics, EngineClock.SYSTEM);
                LockHandle held = engine.acquire(LockRequest.of("order:42").named("ship-order"));
                LockHandle led = engine.acquire(LeaderLocks.requestFor("billing"))) {
            held.ensureHeld();
            led.ensureHeld();
            MissedValue.count(registry);
            LockMetrics.ofListeners(() -> Map.of("Listener", () -> 1)).bindTo(registry);
            return parse(registry.scrape());
        }
    }

    private static Map<String, Map<String, Set<String>>> parse(String output) {
        Map<String, Map<String, Set<String>>> metrics = new TreeMap<>();
        SERIES.matcher(output).results().forEach(series -> {
            Map<String, Set<String>> labels = metrics.computeIfAbsent(series.group(1), metric -> new TreeMap<>());
            LABEL.matcher(series.group(2) == null ? "" : series.group(2))
                    .results()
                    .forEach(label -> labels.computeIfAbsent(label.group(1), name -> new TreeSet<>())
                            .add(label.group(3)));
        });
        return metrics;
    }
}
