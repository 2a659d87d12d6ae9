import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Draws {@code tables.txt} and charts beside the results of the benchmarks: {@code java Draw.java results.json
 * [workload …]}. A chart shows the first metric of a workload; without names, each workload gets one.
 */
final class Draw {

    private static final String HEAD = """
            # Benchmarks

            Drawn from results.json by Draw.java of lock-benchmarks. Do not edit.

            Each figure is the median of the measured rounds (smallest–largest round). Figures are comparable within a
            table, whose clients took turns in one run, and not across machines.

            """;

    private static final String STORES = """
            ## Which store

            One server each on the machine of its clients, as it is unless configured otherwise: Redis keeps locks in \
            memory,
            the others answer when a write is on the disk. Each figure is a median of a table below; a client is missing
            where it cannot take part.

            """;

    private static final List<List<String>> STORE_COLUMNS = List.of(
            List.of("stores-uncontended-1", "p50 µs", "uncontended, 1 thread: p50 µs"),
            List.of("stores-uncontended-32", "ops/s", "32 threads: ops/s"),
            List.of("stores-one-key-empty", "ops/s", "one key, 1 JVM: ops/s"),
            List.of("stores-three-jvms", "ops/s", "one key, 3 JVMs: ops/s"),
            List.of("stores-three-jvms", "p99 µs", "the same: p99 µs"),
            List.of("stores-three-jvms", "Jain, instances", "the same: Jain, JVMs"),
            List.of("stores-crash", "p50 s", "next owner after kill -9: p50 s"),
            List.of("stores-memory", "server B/held lock", "server B/held lock"));

    /** A goal of the starter: its figure, or the difference from or ratio to another one. */
    private record Target(String workload, String metric, double bound, String sign, String other) {}

    /** Workload; metric; bound; {@code ×} or {@code −} and the id of another client, another metric or best peer. */
    private static final List<Target> TARGETS = """
            uncontended-1; ops/s; 0.95; ×; floor
            uncontended-1; ops/s; 1.1; ×; redisson
            uncontended-1; server µs/op; 2; ×; floor
            uncontended-1; server µs/op; 1; ×; redisson
            uncontended-32; ops/s; 1; ×; floor
            uncontended-32; server µs/op; 1.2; ×; floor
            uncontended-32; ops/s; 3; ×; redisson
            uncontended-128; ops/s; 1.2; ×; floor
            one-key-empty; ops/s; 20; ×; best peer
            one-key-empty; reads/op; 0.3
            one-key-empty; Jain, threads; 0.9
            three-jvms; ops/s; 2; ×; best peer
            three-jvms; ops/s; 4; ×; redisson
            three-jvms; Jain, instances; 0.9
            three-jvms; p99 µs; 1; ×; best peer
            readers; ops/s; 10; ×; redisson
            wake-up; p50 µs; 1; ×; redisson
            wake-up; p99 µs; 0.7; ×; redisson
            crash; p99 s; 2
            pause; kept; 1; ×; pauses
            twenty-instances; tries/acquisition; 2.5
            held-20000; CPU ms/s; 0.5; ×; redisson
            held-100000-long; lost locks; 0
            held-100000-long; threads for the locks; 0
            held-100000-long; heap B/lock; 500
            in-jvm; ns/call; 3000; −; template
            in-jvm; B/call; 1024; −; template
            """.lines().map(Draw::target).toList();

    private static Target target(String line) {
        String[] words = (line + ";;").split("; ?", -1);
        return new Target(words[0], words[1], Double.parseDouble(words[2]), words[3], words[4]);
    }

    private final List<Workload> workloads;

    private Draw(List<Workload> workloads) {
        this.workloads = workloads;
    }

    public static void main(String[] arguments) throws IOException {
        Path results = Path.of(arguments[0]);
        Json root = Json.parse(Files.readString(results));
        Draw draw = new Draw(root.list("workloads").map(Workload::of).toList());
        Files.writeString(results.resolveSibling("tables.txt"), draw.tables());
        List<String> charted = List.of(arguments).subList(1, arguments.length);
        for (Workload workload : draw.workloads) {
            if (charted.isEmpty() || charted.contains(workload.id)) {
                Files.writeString(results.resolveSibling(workload.id + ".svg"), new Chart(workload).svg());
            }
        }
    }

    /** Median and range. */
    private record Figure(double median, double min, double max) {

        String text() {
            String range = min == max ? "" : " (" + number(min) + "–" + number(max) + ")";
            return "**" + number(median) + "**" + range;
        }
    }

    private record Row(String id, String label, String role, Map<String, Figure> figures) {

        /** 0 if not measured. */
        double median(String metric) {
            Figure figure = figures.get(metric);
            return figure == null ? 0 : figure.median;
        }
    }

    /** @param metrics whether more is better, by name */
    private record Workload(
            String id, String title, String description, String origin, Map<String, Boolean> metrics, List<Row> rows) {

        static Workload of(Json json) {
            Map<String, Boolean> metrics = new LinkedHashMap<>();
            json.map("metrics").forEach((name, better) -> metrics.put(name, better.equals("HIGHER")));
            String origin = "`" + json.text("command") + "`, " + json.text("date") + "; "
                    + sorted(json.map("parameters")) + "; " + sorted(json.map("environment")) + ".\n";
            return new Workload(
                    json.text("workload"),
                    json.text("title"),
                    json.text("description"),
                    origin,
                    metrics,
                    json.list("rows").map(Workload::row).toList());
        }

        private static Row row(Json json) {
            Map<String, Figure> figures = new LinkedHashMap<>();
            json.map("figures").forEach((metric, value) -> {
                Json figure = new Json(value);
                figures.put(metric, new Figure(figure.number("median"), figure.number("min"), figure.number("max")));
            });
            return new Row(json.text("client"), json.text("label"), json.text("role"), figures);
        }

        private static String sorted(Map<String, Object> values) {
            return values.entrySet().stream()
                    .sorted(Map.Entry.comparingByKey())
                    .map(each -> each.getKey() + " " + each.getValue())
                    .collect(Collectors.joining(", "));
        }

        Stream<Row> rows(String role) {
            return rows.stream().filter(row -> row.role.equals(role));
        }

        Stream<Row> row(String id) {
            return rows.stream().filter(row -> row.id.equals(id));
        }
    }

    private String tables() {
        String targets = TARGETS.stream()
                .flatMap(target -> workload(target.workload).map(workload -> targetLine(target, workload)))
                .collect(Collectors.joining());
        return HEAD
                + storeTable()
                + "## Targets\n\nRatios of medians; the targets are those of the design.\n\n"
                + (targets.isEmpty() ? "" : "| workload | target | measured | |\n|---|---|---|---|\n" + targets)
                + "\n"
                + workloads.stream().map(Draw::section).collect(Collectors.joining("\n"));
    }

    private Stream<Workload> workload(String id) {
        return workloads.stream().filter(workload -> workload.id.equals(id));
    }

    private static String targetLine(Target target, Workload workload) {
        boolean more = workload.metrics.getOrDefault(target.metric, true);
        String subject = workload.id.equals("in-jvm") ? "annotation" : "lock-starter";
        Row ours = workload.row(subject).findFirst().orElse(null);
        if (ours == null || !ours.figures.containsKey(target.metric)) {
            return "";
        }
        double value = ours.median(target.metric);
        String claim = target.metric + (target.sign.equals("−") ? " of annotation over " + target.other : "")
                + (more ? " ≥ " : " ≤ ") + number(target.bound);
        if (!target.sign.isEmpty()) {
            boolean best = target.other.equals("best peer");
            boolean share = ours.figures.containsKey(target.other);
            Stream<Row> others = best ? workload.rows("PEER") : workload.row(target.other);
            Comparator<Row> worse = Comparator.comparingDouble(row -> row.median(target.metric));
            Row other = share ? ours : others.max(more ? worse : worse.reversed()).orElse(null);
            if (other == null) {
                return "";
            }
            double base = other.median(share ? target.other : target.metric);
            value = target.sign.equals("×") ? value / base : value - base;
            claim += target.sign.equals("×") ? " × " + (best || share ? target.other : other.label) : "";
        }
        boolean met = more ? value >= target.bound : value <= target.bound;
        return "| " + workload.title + " | " + claim + " | " + number(value) + " | " + (met ? "met" : "**missed**")
                + " |\n";
    }

    private String storeTable() {
        List<List<String>> columns = STORE_COLUMNS.stream()
                .filter(column -> workload(column.get(0)).findAny().isPresent())
                .toList();
        Map<String, String> clients = new LinkedHashMap<>();
        columns.forEach(column -> workload(column.get(0))
                .flatMap(workload -> workload.rows.stream())
                .forEach(row -> clients.putIfAbsent(row.id, row.label)));
        String lines = clients.entrySet().stream()
                .map(client -> line(client.getValue(), columns, column -> workload(column.get(0))
                        .flatMap(workload -> workload.row(client.getKey()))
                        .filter(row -> row.figures.containsKey(column.get(1)))
                        .map(row -> number(row.median(column.get(1))))
                        .collect(Collectors.joining())))
                .collect(Collectors.joining());
        return columns.isEmpty() ? "" : STORES + head("", columns, column -> column.get(2)) + lines + "\n";
    }

    private static String section(Workload workload) {
        return "## " + workload.title + "\n\n" + workload.description + "\n\n"
                + table("", workload.metrics.keySet(), workload.rows, Draw::cell)
                + workload.rows("SUBJECT").limit(1).map(row -> ratios(workload, row)).collect(Collectors.joining())
                + "\n" + workload.origin + "\n";
    }

    private static String cell(Row row, String metric) {
        return row.figures.containsKey(metric) ? row.figures.get(metric).text() : "n/a";
    }

    /** The subject's medians divided by those of the others. */
    private static String ratios(Workload workload, Row subject) {
        List<String> metrics =
                workload.metrics.keySet().stream().filter(metric -> subject.median(metric) != 0).toList();
        List<Row> others = workload.rows.stream().filter(row -> row != subject).toList();
        return metrics.isEmpty() || others.isEmpty() ? "" : "\n" + table(subject.label + " ÷", metrics, others,
                (row, metric) -> row.median(metric) == 0 ? "n/a" : number(subject.median(metric) / row.median(metric)));
    }

    private static String table(
            String title, Iterable<String> metrics, List<Row> rows, BiFunction<Row, String, String> cell) {
        List<String> columns = new ArrayList<>();
        metrics.forEach(columns::add);
        return head(title, columns, column -> column)
                + rows.stream()
                        .map(row -> line(row.label, columns, column -> cell.apply(row, column)))
                        .collect(Collectors.joining());
    }

    private static <T> String head(String title, List<T> columns, Function<T, String> heading) {
        return line(title, columns, heading) + "|---|" + "---|".repeat(columns.size()) + "\n";
    }

    private static <T> String line(String first, List<T> columns, Function<T, String> cell) {
        return columns.stream().map(cell).collect(Collectors.joining(" | ", "| " + first + " | ", " |\n"));
    }

    /** About three significant digits, with thousands separators. */
    private static String number(double value) {
        double size = Math.abs(value);
        String format = size >= 100 || value == Math.rint(value) ? "%,.0f" : size >= 10 ? "%.1f" : "%.2f";
        return String.format(Locale.ROOT, format, value);
    }

    /**
     * The first metric of a workload as horizontal bars, with the range of the rounds as whiskers. Readable on light
     * and dark pages. A gap marks bars that are cut because they would make the others unreadable.
     */
    private static final class Chart {

        private static final int WIDTH = 850;
        private static final int LEFT = 250;
        private static final int RIGHT = 130;
        private static final int BASE = 74;
        private static final int STEP = 30;
        private static final int BAR = 18;
        private static final double FAR = 4;
        private static final double ROOM = 1.25;
        private static final String STYLE = """
                <style>
                  .page { fill: #ffffff } .text { fill: #1f2328 } .faint { fill: #59636e }
                  .axis { stroke: #d1d9e0 } .whisker { stroke: #1f2328 } .gap { stroke: #ffffff }
                  @media (prefers-color-scheme: dark) {
                    .page { fill: #0d1117 } .text { fill: #f0f6fc } .faint { fill: #9198a1 }
                    .axis { stroke: #3d444d } .whisker { stroke: #f0f6fc } .gap { stroke: #0d1117 }
                  }
                </style>
                """;

        private final StringBuilder svg = new StringBuilder();
        private final Workload workload;
        private final String metric;
        private final List<Row> rows;
        private final double end;

        Chart(Workload workload) {
            this.workload = workload;
            this.metric = workload.metrics.keySet().iterator().next();
            this.rows = workload.rows.stream()
                    .filter(row -> row.figures.containsKey(metric))
                    .toList();
            this.end = end();
        }

        /** End of the axis: the largest value, ignoring outliers other than the starter. */
        private double end() {
            List<Row> drawn = new ArrayList<>(rows);
            drawn.sort(Comparator.comparingDouble((Row row) -> row.median(metric)).reversed());
            boolean cut = false;
            while (drawn.size() > 1
                    && !drawn.get(0).id.equals("lock-starter")
                    && drawn.get(0).median(metric) > FAR * drawn.get(1).median(metric)) {
                drawn.remove(0);
                cut = true;
            }
            double largest = drawn.stream().mapToDouble(row -> row.figures.get(metric).max).max().orElse(0);
            return largest == 0 ? 1 : cut ? largest * ROOM : largest;
        }

        String svg() {
            int height = BASE + 6 + rows.size() * STEP + 14;
            add("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
                    + " font-family=\"system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif\" font-size=\"13\">\n",
                    WIDTH, height, WIDTH, height);
            svg.append(STYLE);
            add("<rect class=\"page\" width=\"%d\" height=\"%d\" rx=\"6\"/>\n", WIDTH, height);
            text(16, 28, "start", "text", "font-size=\"16\" font-weight=\"600\"", workload.title);
            String direction = workload.metrics.get(metric) ? "more is better" : "less is better";
            text(LEFT, BASE - 10, "start", "faint", "", metric + ", " + direction);
            add("<line class=\"axis\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>\n",
                    LEFT, BASE, LEFT, BASE + rows.size() * STEP);
            for (int i = 0; i < rows.size(); i++) {
                bar(rows.get(i), rows.get(i).figures.get(metric), BASE + i * STEP + (STEP - BAR) / 2);
            }
            return svg.append("</svg>\n").toString();
        }

        private void bar(Row row, Figure figure, int top) {
            String weight = row.id.equals("lock-starter") ? "font-weight=\"600\"" : "";
            boolean cut = figure.median > end;
            int right = x(figure.median);
            int middle = top + BAR / 2;
            text(LEFT - 10, middle + 4, "end", "text", weight, row.label);
            add("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n",
                    LEFT, top, Math.max(1, right - LEFT), BAR, colour(row));
            if (cut) {
                add("<line class=\"gap\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke-width=\"4\"/>\n",
                        right - 26, top + BAR + 2, right - 16, top - 2);
            } else {
                add("<path class=\"whisker\" fill=\"none\" d=\"M%d %dv8m0 -4H%dm0 -4v8\"/>\n",
                        x(figure.min), middle - 4, x(figure.max));
            }
            int label = Math.max(right, cut ? right : x(figure.max)) + 8;
            text(label, middle + 4, "start", "text", weight, number(figure.median));
        }

        /** One colour per client in all charts. */
        private static String colour(Row row) {
            return switch (row.id) {
                case "redisson", "curator" -> "#d9822b";
                case "spring-integration", "spring-integration-renewing", "spring-integration-jdbc" -> "#3fa45b";
                case "lock4j" -> "#a371f7";
                default -> row.role.equals("SUBJECT") ? "#2f81f7" : "#8b949e";
            };
        }

        private int x(double value) {
            return LEFT + (int) Math.round(Math.min(1, value / end) * (WIDTH - LEFT - RIGHT));
        }

        private void text(int x, int y, String anchor, String style, String more, String content) {
            add("<text x=\"%d\" y=\"%d\" text-anchor=\"%s\" class=\"%s\" %s>%s</text>\n",
                    x, y, anchor, style, more, content.replace("&", "&amp;").replace("<", "&lt;"));
        }

        private void add(String format, Object... values) {
            svg.append(String.format(Locale.ROOT, format, values));
        }
    }

    /** A value of a JSON text: a string, a number, a list or a map. */
    private record Json(Object value) {

        private static final Pattern TOKEN = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"|[\\[\\]{}]|[-+.\\w]+");

        static Json parse(String text) {
            Matcher tokens = TOKEN.matcher(text);
            tokens.find();
            return new Json(value(tokens));
        }

        /** Reads from the current token on. */
        private static Object value(Matcher tokens) {
            String token = tokens.group();
            if (token.equals("[")) {
                List<Object> list = new ArrayList<>();
                while (tokens.find() && !tokens.group().equals("]")) {
                    list.add(value(tokens));
                }
                return list;
            }
            if (token.equals("{")) {
                Map<String, Object> map = new LinkedHashMap<>();
                while (tokens.find() && !tokens.group().equals("}")) {
                    String name = (String) value(tokens);
                    tokens.find();
                    map.put(name, value(tokens));
                }
                return map;
            }
            return tokens.group(1) == null ? Double.valueOf(token) : tokens.group(1).translateEscapes();
        }

        @SuppressWarnings("unchecked")
        Map<String, Object> map(String name) {
            return (Map<String, Object>) member(name);
        }

        Stream<Json> list(String name) {
            return ((List<?>) member(name)).stream().map(Json::new);
        }

        String text(String name) {
            return (String) member(name);
        }

        double number(String name) {
            return (Double) member(name);
        }

        private Object member(String name) {
            return ((Map<?, ?>) value).get(name);
        }
    }
}
