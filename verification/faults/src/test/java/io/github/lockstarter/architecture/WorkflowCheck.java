package io.github.lockstarter.architecture;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Finds what is wrong with a workflow, which GitHub would report when it runs, or never. */
final class WorkflowCheck {

    private static final Set<String> EVENTS = Set.of("push", "pull_request", "schedule", "workflow_dispatch");
    private static final Set<String> SCOPES =
            Set.of("actions", "attestations", "contents", "id-token", "issues", "security-events");
    private static final Set<String> CONTEXTS =
            Set.of("github", "inputs", "matrix", "needs", "secrets", "steps", "vars");

    private static final Pattern CRON = Pattern.compile("([\\d*/,-]+ ){4}[\\d*/,-]+");
    private static final Pattern ACTION = Pattern.compile("[\\w-]+/[\\w-]+(/[\\w-]+)*@[0-9a-f]{40}");
    private static final Pattern EXPRESSION = Pattern.compile("\\$\\{\\{(.*?)}}");
    private static final Pattern REFERENCE = Pattern.compile("(?<![\\w.'-])([a-z]+)\\.([\\w-]+)");
    private static final Pattern SCRIPT = Pattern.compile("(?<![\\w/])\\.ci/[\\w-]+");
    private static final Pattern OUTPUT = Pattern.compile("(?<![\\w$./*-])([\\w-]+(?:/[\\w-]+)*)/target\\b");

    private final String text;
    private final YamlValue workflow;
    private final MavenBuild build;
    private final List<String> found = new ArrayList<>();

    private WorkflowCheck(String text, MavenBuild build) {
        this.text = text;
        this.workflow = YamlValue.read(text);
        this.build = build;
    }

    static List<String> errors(String text, MavenBuild build) throws IOException {
        WorkflowCheck check = new WorkflowCheck(text, build);
        check.checkWorkflow();
        return check.found;
    }

    private void checkWorkflow() throws IOException {
        checkKeys("workflow", workflow, "name on permissions concurrency jobs", "defaults");
        checkNames("event", workflow.at("on").keys(), EVENTS);
        for (YamlValue schedule : workflow.at("on").at("schedule").items()) {
            require(CRON.matcher(schedule.at("cron").text()).matches(), "no schedule: " + schedule.text());
        }
        require(
                workflow.at("permissions").content().equals(Map.of("contents", "read")),
                "the workflow may do more than read");
        Set<String> earlier = new HashSet<>();
        for (String name : workflow.at("jobs").keys()) {
            checkJob(name, workflow.at("jobs").at(name), earlier);
            earlier.add(name);
        }
    }

    private void checkJob(String name, YamlValue job, Set<String> earlier) throws IOException {
        checkKeys(name, job, "name runs-on timeout-minutes steps", "container if needs permissions strategy");
        checkNames("scope", job.at("permissions").keys(), SCOPES);
        Set<String> needed = new HashSet<>();
        job.at("needs").items().forEach(each -> needed.add(each.text()));
        checkNames("earlier job", needed, earlier);

        List<Map<String, String>> rows = rows(job.at("strategy").at("matrix"));
        Map<String, Set<String>> names = new HashMap<>();
        names.put("matrix", rows.get(0).keySet());
        names.put("needs", needed);
        names.put(
                "inputs", workflow.at("on").at("workflow_dispatch").at("inputs").keys());
        names.put("steps", new HashSet<>());
        checkExpressions(job, "name container if", names);
        for (YamlValue step : job.at("steps").items()) {
            checkExpressions(step, "name if env with", names);
            if (step.at("uses").isEmpty()) {
                checkScript(step, rows);
            } else {
                checkAction(step);
            }
            names.get("steps").add(step.at("id").text());
        }
    }

    private void checkAction(YamlValue step) {
        String action = step.at("uses").text();
        checkKeys(action, step, "uses", "id if name with");
        require(ACTION.matcher(action).matches(), "no commit: " + action);
        require(
                text.lines().anyMatch(line -> line.matches(".*uses: \\Q" + action + "\\E # v\\d+\\.\\d+\\.\\d+")),
                "no version: " + action);
        checkModules(step);
    }

    private void checkScript(YamlValue step, List<Map<String, String>> rows) throws IOException {
        String script = step.at("run").text();
        checkKeys(step.at("name").text(), step, "name run", "env id if");
        require(workflow.at("defaults").at("run").at("shell").text().equals("bash"), "the shell is not bash");
        require(!script.contains("${{"), "an expression in a script, in place of a variable: " + script);
        // Without the secret, it has to succeed.
        for (String variable : step.at("env").keys()) {
            require(
                    !step.at("env").at(variable).text().contains("secrets.")
                            || script.contains("[ -z \"$" + variable + "\" ]"),
                    "a script that needs the secret " + variable);
        }
        SCRIPT.matcher(script)
                .results()
                .map(MatchResult::group)
                .forEach(file -> require(Files.isExecutable(SourceFiles.ROOT.resolve(file)), "no script: " + file));
        checkModules(step);
        for (Map<String, String> row : rows) {
            build.unknownWords(resolved(step, row)).forEach(word -> found.add("no part of the build: " + word));
        }
    }

    /** Directories of the build's output. */
    private void checkModules(YamlValue step) {
        step.texts()
                .flatMap(value -> OUTPUT.matcher(value).results())
                .map(output -> output.group(1))
                .forEach(module -> checkNames("module", Set.of(module), build.modules()));
    }

    private void checkExpressions(YamlValue owner, String keys, Map<String, Set<String>> names) {
        for (String key : keys.split(" ", -1)) {
            owner.at(key).texts().forEach(value -> {
                String code = key.equals("if") ? "${{" + value + "}}" : value;
                for (MatchResult expression : EXPRESSION.matcher(code).results().toList()) {
                    REFERENCE.matcher(expression.group(1)).results().forEach(reference -> {
                        String context = reference.group(1);
                        String name = reference.group(2);
                        checkNames("context", Set.of(context), CONTEXTS);
                        checkNames(context, Set.of(name), names.getOrDefault(context, Set.of(name)));
                        require(!context.equals("secrets") || key.equals("env"), "a secret outside of env: " + value);
                    });
                }
            });
        }
    }

    /** The values of each job of the matrix; without a matrix, there is one without values. */
    private List<Map<String, String>> rows(YamlValue matrix) {
        List<Map<String, String>> rows = new ArrayList<>();
        require(matrix.keys().size() < 2, "a matrix with more than one list");
        for (String axis : matrix.keys()) {
            for (YamlValue value : matrix.at(axis).items()) {
                Map<String, String> row = new LinkedHashMap<>();
                value.keys().forEach(key -> row.put(key, value.at(key).text()));
                rows.add(axis.equals("include") ? row : Map.of(axis, value.text()));
            }
        }
        rows.forEach(row -> checkNames("matrix", rows.get(0).keySet(), row.keySet()));
        return rows.isEmpty() ? List.of(Map.of()) : rows;
    }

    /** The script with the values that its variables have in one job of the matrix. */
    private static String resolved(YamlValue step, Map<String, String> row) {
        String script = step.at("run").text();
        for (String variable : step.at("env").keys()) {
            String value = step.at("env").at(variable).text();
            for (Map.Entry<String, String> each : row.entrySet()) {
                value = value.replace("${{ matrix." + each.getKey() + " }}", each.getValue());
            }
            script = script.replace("$" + variable, value.contains("${{") ? variable : value);
        }
        return script;
    }

    private void checkKeys(String owner, YamlValue mapping, String required, String optional) {
        Set<String> keys = mapping.keys();
        for (String key : required.split(" ", -1)) {
            require(keys.contains(key), "no " + key + ": " + owner);
        }
        checkNames("key of " + owner, keys, Set.of((required + " " + optional).split(" ", -1)));
    }

    private void checkNames(String kind, Set<String> names, Set<String> known) {
        names.stream().filter(name -> !known.contains(name)).forEach(name -> found.add("no " + kind + ": " + name));
    }

    private void require(boolean holds, String otherwise) {
        if (!holds) {
            found.add(otherwise);
        }
    }
}
