package io.github.lockstarter.rewrite;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The recipes on the applications of the tests: the POM, and the code that the guide shows. */
@Tag("full")
class SampleApplicationTests {

    private static final Path POM = Path.of("pom.xml");
    private static final Path GUIDE = Path.of("..", "docs", "migration.md");

    @Test
    void theStarterReplacesTheLibrary() {
        assertThat(pom("lock4j"))
                .containsOnlyOnce("<artifactId>lock-starter</artifactId>")
                .doesNotContain("lock4j-r");
        assertThat(pom("shedlock"))
                .containsOnlyOnce("<artifactId>lock-starter</artifactId>")
                .doesNotContain("net.javacrumbs")
                .contains("""
                            </dependency>
                            <dependency>
                              <groupId>io.github.lockstarter</groupId>
                              <artifactId>lock-starter</artifactId>
                              <version>${lock-starter.version}</version>
                            </dependency>
                          </dependencies>
                        """);
    }

    @Test
    void redissonStaysBesideTheStarter() {
        assertThat(pom("redisson"))
                .containsOnlyOnce("<artifactId>lock-starter</artifactId>")
                .containsOnlyOnce("<artifactId>redisson-spring-boot-starter</artifactId>");
    }

    @Test
    void aMarkLeavesThePomAlone() {
        SampleApplication other = SampleApplication.of("lock4j")
                .with(
                        "src/main/java/warehouse/Other.java",
                        "package warehouse; class Other { com.baomidou.lock.LockTemplate template; }");

        SampleApplication migrated = other.migratedBy(new MigrateFromLock4j());

        assertThat(migrated.files().get(POM)).isEqualTo(other.files().get(POM));
        assertThat(migrated.text()).contains("@Lock4j(name", "/*~~(LockTemplate has no exact counterpart)~~>*/");
    }

    /** Lines of the guide that go are in an application, and those that come in its migration. */
    @Test
    void theGuideShowsTheApplications() throws IOException {
        List<String> shown = Pattern.compile("```diff\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(GUIDE))
                .results()
                .flatMap(block -> block.group(1).lines())
                .toList();

        assertThat(lines(shown, "-")).hasSizeGreaterThan(5).isSubsetOf(linesOf(SampleApplication::of));
        assertThat(lines(shown, "+")).hasSizeGreaterThan(5).isSubsetOf(linesOf(SampleApplication::migrated));
    }

    private static Set<String> lines(List<String> shown, String mark) {
        return shown.stream()
                .filter(line -> line.startsWith(mark))
                .map(line -> line.substring(1).strip())
                .collect(Collectors.toSet());
    }

    private static Set<String> linesOf(Function<String, SampleApplication> application) {
        return SampleApplication.RECIPES.keySet().stream()
                .flatMap(library -> application.apply(library).text().lines())
                .map(String::strip)
                .collect(Collectors.toSet());
    }

    private static String pom(String library) {
        return SampleApplication.migrated(library).files().get(POM);
    }
}
