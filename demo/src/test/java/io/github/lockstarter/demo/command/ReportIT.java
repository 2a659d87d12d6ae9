package io.github.lockstarter.demo.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.demo.DemoApp;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.jvm.ChildJvm;
import io.github.lockstarter.kit.jvm.Jdks;
import io.github.lockstarter.kit.net.TlsFiles;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.kit.redis.RedisServer;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ReportIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private static final String PATIENT = "--distributed-lock.redis.command-timeout=20s";

    private final StringWriter output = new StringWriter();

    @Test
    void reportsThatLocksExcludeEachOtherWithoutThePassword() {
        REDIS.server().requirePassword("s3cret");

        assertThat(report("redis://:s3cret@" + REDIS.server().address(), "--seconds=1"))
                .as("%s", output)
                .isZero();
        assertThat(output.toString())
                .contains(
                        "redis_version ",
                        "role master",
                        "passed: Redis at " + REDIS.server().address())
                .containsPattern("(?m)^no lock +\\d+ sections, [1-9]\\d* overlaps")
                .containsPattern("(?m)^short lock +[1-9]\\d* sections, 0 overlaps, 0 lost updates")
                .containsPattern("(?m)^long lock +[1-9]\\d* sections, 0 overlaps, 0 lost updates")
                .containsPattern("(?m)^verdict +(works|degraded)$")
                .doesNotContain("s3cret");
    }

    @Test
    void reportsWhyTheStartIsRefused() {
        REDIS.server().requirePassword("s3cret");

        assertThat(report("redis://:wr0ng@" + REDIS.server().address())).isEqualTo(1);
        assertThat(output.toString())
                .containsPattern("(?m)^start check +refused. .*spring.data.redis.password")
                .containsPattern("(?m)^verdict +refused$")
                .doesNotContain("wr0ng");
    }

    /** The instances connect too, and need what the command needs. */
    @Test
    @Tag("full")
    void instancesTrustTheCertificateThatTheCommandTrusts() {
        try (TlsFiles files = TlsFiles.create();
                RedisServer redis = RedisServer.startTls(files)) {
            String address = "rediss://127.0.0.1:" + redis.tlsPort();
            assertThat(reportOfJvm(address, 1)).as("control").anyMatch(line -> line.matches("verdict +refused"));
            assertThat(reportOfJvm(
                            address,
                            0,
                            "-Djavax.net.ssl.trustStore=" + files.keyStore(),
                            "-Djavax.net.ssl.trustStorePassword=" + TlsFiles.PASSWORD))
                    .anyMatch(line -> line.matches("short lock +[1-9]\\d* sections, 0 overlaps, 0 lost updates"))
                    .anyMatch(line -> line.matches("verdict +works"));
        }
    }

    private static List<String> reportOfJvm(String address, int status, String... options) {
        List<String> all = new ArrayList<>(ChildJvm.SMALL);
        all.addAll(ChildJvm.directories());
        all.addAll(List.of(options));
        try (ChildJvm jvm = ChildJvm.start(Jdks.own(), all, DemoApp.class, "report", address, "--seconds=1", PATIENT)) {
            assertThat(jvm.awaitExit(Patience.TIME.multipliedBy(3)))
                    .as("%s", jvm.lines())
                    .isEqualTo(status);
            return jvm.lines();
        }
    }

    @Test
    @Tag("full")
    void theCheckFindsLocksThatHoldInOneJvmOnly() {
        assertThat(report("redis://" + REDIS.server().address(), "--seconds=10", "--distributed-lock.backend=local"))
                .isEqualTo(1);
        assertThat(output.toString())
                .containsPattern("(?m)^long lock +[1-9]\\d* sections, [1-9]\\d* overlaps")
                .containsPattern("(?m)^verdict +failed$");
    }

    private int report(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add(PATIENT);
        PrintWriter writer = new PrintWriter(output);
        return DemoCommand.commandLine(new ReportCommand())
                .setOut(writer)
                .setErr(writer)
                .execute(all.toArray(String[]::new));
    }
}
