package io.github.lockstarter.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.yaml.snakeyaml.error.YAMLException;

/** The files for GitHub, which no build reads: they are valid, and what they name exists. */
class RepositoryFilesTests {

    private static final Path GITHUB = SourceFiles.ROOT.resolve(".github");
    private static final Pattern URL = Pattern.compile("<url>(https://github.com/[^<]+/[^<]+)</url>");

    @Test
    void everyYamlFileIsValid() throws IOException {
        List<Path> files = SourceFiles.under(SourceFiles.ROOT, ".yml", ".yaml");
        for (Path file : files) {
            assertThat(YamlValue.documents(Files.readString(file)))
                    .as(file.toString())
                    .allMatch(document -> !document.keys().isEmpty());
        }
        assertThat(files).hasSizeGreaterThan(15);
    }

    @Test
    void theCheckFindsAKeyThatIsWrittenTwice() {
        assertThatThrownBy(() -> YamlValue.read("jobs: {a: 1}\njobs: {b: 2}"))
                .isInstanceOf(YAMLException.class)
                .hasMessageContaining("duplicate key jobs");
    }

    @Test
    void workflowsHaveNoErrors() throws IOException {
        List<Path> workflows = SourceFiles.under(GITHUB.resolve("workflows"), "");
        for (Path workflow : workflows) {
            assertThat(WorkflowCheck.errors(Files.readString(workflow), MavenBuild.read()))
                    .as(workflow.toString())
                    .isEmpty();
        }
        assertThat(workflows).hasSize(4);
    }

    @ParameterizedTest
    @MethodSource
    void theCheckFindsAnErrorInAWorkflow(String file, String text, String planted, String error) throws IOException {
        String changed = changed("workflows/" + file, text, planted);

        assertThat(WorkflowCheck.errors(changed, MavenBuild.read()))
                .anySatisfy(each -> assertThat(each).contains(error));
    }

    static Stream<Arguments> theCheckFindsAnErrorInAWorkflow() {
        return Stream.of(
                arguments("nightly.yml", "needs: [faults, ", "needs: [lab, ", "no earlier job: lab"),
                arguments("nightly.yml", "needs.faults.result", "needs.lab.result", "no needs: lab"),
                arguments("nightly.yml", "inputs.minutes", "inputs.hours", "no inputs: hours"),
                arguments("nightly.yml", "17 1 * * *", "at night", "no schedule"),
                arguments("nightly.yml", "issues: write", "issue: write", "no scope: issue"),
                arguments("nightly.yml", "timeout-minutes: 5", "timeout: 5", "no timeout-minutes: alarm"),
                arguments("nightly.yml", "-Pfaults", "-Pfault", "no part of the build: -Pfault"),
                arguments("nightly.yml", "-Dseed=", "-Dseeds=", "no part of the build: -Dseeds"),
                arguments("nightly.yml", "-Dtest=Sim", "-Dtest=Em", "no part of the build: -Dtest=Em"),
                arguments("nightly.yml", "simulation/target", "sim/target", "no module: verification/sim"),
                arguments("ci.yml", "matrix.java", "matrix.jdk", "no matrix: jdk"),
                arguments("ci.yml", "server: valkey-server", "binary: valkey-server", "no matrix: server"),
                arguments("ci.yml", "steps.jdk.outputs", "steps.java.outputs", "no steps: java"),
                arguments("ci.yml", "apps-boot3", "boot3", "no part of the build: verification/boot3"),
                arguments("ci.yml", "Boot3*IT", "Boot2*IT", "no part of the build: -Dit.test=Boot2*IT"),
                arguments("ci.yml", ".ci/starved", ".ci/starve", "no script: .ci/starve"),
                arguments("ci.yml", "shell: bash", "shell: sh", "the shell is not bash"),
                arguments("ci.yml", "contents: read", "contents: write", "the workflow may do more than read"),
                arguments("ci.yml", "pull_request:", "pull_request_target:", "no event: pull_request_target"),
                arguments("ci.yml", "concurrency:", "concurrent:", "no key of workflow: concurrent"),
                arguments("ci.yml", " # v7.0.1", "", "no version: actions/checkout"),
                arguments("codeql.yml", "init@8aad20d", "init@v4 #", "no commit: github/codeql-action/init@v4"),
                arguments("release.yml", "secrets.CENTRAL", "secret.CENTRAL", "no context: secret"),
                arguments("release.yml", "name: bundle", "name: ${{ secrets.NAME }}", "a secret outside of env"),
                arguments("release.yml", "[ -z \"$CENTRAL_TOKEN\" ] || ", "", "needs the secret CENTRAL_TOKEN"),
                arguments("release.yml", "$GITHUB_REF_NAME&", "${{ github.ref_name }}&", "an expression in a script"),
                arguments("release.yml", ",stores/etcd", ",stores/etc", "no part of the build: lock-bom,lock-core"));
    }

    @Test
    void formsHaveNoErrors() throws IOException {
        for (String form : List.of("bug.yml", "question.yml")) {
            assertThat(FormCheck.errors(Files.readString(GITHUB.resolve("ISSUE_TEMPLATE/" + form))))
                    .as(form)
                    .isEmpty();
        }
        assertThat(SourceFiles.under(GITHUB.resolve("ISSUE_TEMPLATE"), "")).hasSize(3);
    }

    @ParameterizedTest
    @MethodSource
    void theCheckFindsAnErrorInAForm(String text, String planted, String error) throws IOException {
        assertThat(FormCheck.errors(changed("ISSUE_TEMPLATE/bug.yml", text, planted)))
                .anySatisfy(each -> assertThat(each).contains(error));
    }

    static Stream<Arguments> theCheckFindsAnErrorInAForm() {
        return Stream.of(
                arguments("type: input", "type: text", "no type: text"),
                arguments("id: log", "id: store", "no id of its own: store"),
                arguments("id: log", "if: log", "an unknown key"),
                arguments("label: Log", "title: Log", "no label of its own: log"),
                arguments("options:", "values:", "options: store"),
                arguments("- etcd", "- Redlock", "an option twice: store"),
                arguments("required: true", "required: always", "no boolean: version"),
                arguments("render: text", "renders: text", "an unknown attribute"),
                arguments("description: Something", "about: Something", "no description"));
    }

    @Test
    void linksLeadIntoTheRepository() throws IOException {
        YamlValue config = YamlValue.read(Files.readString(GITHUB.resolve("ISSUE_TEMPLATE/config.yml")));
        assertThat(config.keys()).containsExactlyInAnyOrder("blank_issues_enabled", "contact_links");
        assertThat(config.at("contact_links").items()).isNotEmpty().allSatisfy(link -> {
            assertThat(link.keys()).containsExactlyInAnyOrder("name", "url", "about");
            assertThat(link.at("url").text()).startsWith(url() + '/');
            assertThat(SourceFiles.ROOT.resolve(
                            link.at("url").text().replaceAll(".*/(?:blob/main|security)/|advisories.*", "")))
                    .exists();
        });
    }

    @Test
    void updatesAreOfWhatTheBuildHas() throws IOException {
        YamlValue file = YamlValue.read(Files.readString(GITHUB.resolve("dependabot.yml")));
        String poms = MavenBuild.read().poms();
        assertThat(file.at("version").text()).isEqualTo("2");
        assertThat(file.at("updates").items()).hasSize(2).allSatisfy(update -> {
            assertThat(update.at("package-ecosystem").text()).isIn("github-actions", "maven");
            assertThat(update.at("directory").text()).isEqualTo("/");
            assertThat(update.at("schedule").at("interval").text()).isEqualTo("weekly");
            assertThat(update.at("groups").keys()).hasSize(1);
            assertThat(update.keys())
                    .isSubsetOf("package-ecosystem", "directory", "schedule", "cooldown", "groups", "ignore");
            for (YamlValue ignored : update.at("ignore").items()) {
                for (String part : ignored.at("dependency-name").text().split(":", -1)) {
                    assertThat(poms).contains(part.equals("*") ? "" : '>' + part + '<');
                }
            }
        });
    }

    private static String url() throws IOException {
        return URL.matcher(Files.readString(SourceFiles.ROOT.resolve("pom.xml")))
                .results()
                .map(url -> url.group(1))
                .findFirst()
                .orElseThrow();
    }

    private static String changed(String file, String text, String planted) throws IOException {
        String content = Files.readString(GITHUB.resolve(file));
        assertThat(content).contains(text);
        return content.replace(text, planted);
    }
}
