package io.github.lockstarter.demo.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.jvm.ChildJvm;
import io.github.lockstarter.kit.jvm.Jdks;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChildProgramTests {

    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-Djavax.net.ssl.trustStore=/certificates/store.p12",
                "-Djava.net.preferIPv4Stack=true",
                "-DsocksProxyHost=proxy",
                "-Dodd"
            })
    void passesOnHowThisJvmConnects(String option) {
        assertThat(ChildProgram.isInherited(option)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-Xmx4g",
                "-javaagent:agent.jar",
                "-Dcom.sun.management.jmxremote.port=9010",
                "-Dspring.data.redis.host=other",
                "-Dserver.port=80",
                "-Ddistributed-lock.key-prefix=other:"
            })
    void keepsItsOwnSettingsAndMemory(String option) {
        assertThat(ChildProgram.isInherited(option)).isFalse();
    }

    @Test
    void quotesAsTheLauncherReadsIt() throws Exception {
        String odd = "C:\\a \"b\" #c 'd'\n@e";
        Path options = Files.writeString(directory.resolve("options"), ChildProgram.quoted("-Dodd=" + odd));
        try (ChildJvm jvm = ChildJvm.start(Jdks.own(), List.of("@" + options), Printer.class)) {
            assertThat(jvm.awaitExit(Patience.TIME)).isZero();
            assertThat(String.join("\n", jvm.lines())).isEqualTo(odd);
        }
    }

    /** Runs in a JVM of its own. */
    static final class Printer {

        public static void main(String[] arguments) {
            System.out.println(System.getProperty("odd"));
        }
    }
}
