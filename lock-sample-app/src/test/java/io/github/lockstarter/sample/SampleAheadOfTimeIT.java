package io.github.lockstarter.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.kit.jvm.ChildJvm;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplicationAotProcessor;

/** The sample as {@code process-aot} generates and compiles it, started with the generated code. */
@Tag("full")
class SampleAheadOfTimeIT {

    private static final String CLASS_PATH = System.getProperty("java.class.path");

    @TempDir
    private static Path directory;

    @BeforeAll
    static void process() throws IOException {
        Path sources = directory.resolve("sources");
        Path classes = directory.resolve("classes");
        try (ChildJvm processor = ChildJvm.start(
                SpringApplicationAotProcessor.class,
                SampleApp.class.getName(),
                sources.toString(),
                classes.toString(),
                classes.toString(),
                "io.github.lockstarter",
                "lock-sample-app")) {
            assertThat(processor.awaitExit(Duration.ofMinutes(1)))
                    .as("%s", processor.lines())
                    .isZero();
        }
        List<String> compiler = new ArrayList<>(
                List.of("-proc:none", "-nowarn", "-parameters", "-cp", CLASS_PATH, "-d", classes.toString()));
        try (Stream<Path> files = Files.walk(sources)) {
            files.map(Path::toString).filter(file -> file.endsWith(".java")).forEach(compiler::add);
        }
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, compiler.toArray(String[]::new)))
                .isZero();
    }

    @Test
    void locksARequestAfterAheadOfTimeProcessing() throws Exception {
        try (SampleProcess app = start("locks.txt")) {
            SampleClient client = app.client();

            long order = client.placeOrder();

            assertThat(client.post("/orders/" + order + "/shipment").status()).isEqualTo(200);
            assertThat(client.text("/actuator/prometheus"))
                    .contains("distributed_lock_acquire_seconds_count{name=\"OrderService.ship\"");
            assertThat(app.text()).contains("Starting AOT-processed SampleApp").doesNotContain("WARN", "ERROR");
        }
    }

    @Test
    void doesNotIgnoreThatLocksAreDisabled() throws Exception {
        try (SampleProcess app = start("disabled.txt", "--distributed-lock.enabled=false")) {
            assertThat(app.awaitEnd()).isEqualTo(1);
            assertThat(app.text())
                    .contains("APPLICATION FAILED TO START")
                    .contains("distributed-lock.enabled is 'false', but was not when the application was built");
        }
    }

    private static SampleProcess start(String output, String... arguments) throws IOException {
        String generated = directory.resolve("classes") + File.pathSeparator + CLASS_PATH;
        List<String> command =
                new ArrayList<>(List.of("-Dspring.aot.enabled=true", "-cp", generated, SampleApp.class.getName()));
        command.addAll(List.of(arguments));
        return SampleProcess.start(directory.resolve(output), command);
    }
}
