package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockAdmin.StoreState;
import io.github.lockstarter.LockAdmin.StoreState.CrashTakeover;
import io.github.lockstarter.local.LocalLockBackend;
import io.github.lockstarter.spi.LockBackend;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The startup message about crash takeover, and the health details. */
@ExtendWith(OutputCaptureExtension.class)
class CrashTakeoverMessageTests {

    private static final String LEASES = "Locks of a crashed instance are free when their leases are over: ";

    private static ApplicationContextRunner application(CrashTakeover ofStore, String... properties) {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
                .withBean(LockBackend.class, () -> new CrashTakeoverStore(new LocalLockBackend(), ofStore))
                .withPropertyValues(properties);
    }

    private static List<String> messages(CapturedOutput output) {
        return output.toString().lines().filter(line -> line.contains(LEASES)).toList();
    }

    private static StoreState state(AssertableApplicationContext context) {
        return context.getBean(LockAdmin.class).storeState().join();
    }

    @Test
    void namesTheTakeoverTimeWhenTheStoreTakesLocksOver(CapturedOutput output) {
        application(CrashTakeover.ON, "distributed-lock.crash-takeover=1500ms").run(context -> {
            assertThat(output).contains("crash-takeover 1.5s; this instance is ");
            assertThat(messages(output)).isEmpty();
            assertThat(state(context).crashTakeover()).isEqualTo(CrashTakeover.ON);
        });
    }

    @Test
    void saysWhyTheStoreDoesNotTakeLocksOver(CapturedOutput output) {
        application(CrashTakeover.off("It is a cluster")).run(context -> {
            assertThat(output).contains("crash-takeover off; this instance is ");
            assertThat(messages(output)).singleElement().asString().contains("INFO", LEASES + "It is a cluster");
            assertThat(state(context).crashTakeover().reason()).isEqualTo("It is a cluster");
            assertThat(state(context).warnings()).isEmpty();
        });
    }

    @Test
    void warnsWhenAnOperatorCanEnableTakeover(CapturedOutput output) {
        CrashTakeover refused = new CrashTakeover(CrashTakeover.State.OFF, "It is refused", "Grant it");
        application(refused).run(context -> {
            assertThat(messages(output))
                    .singleElement()
                    .asString()
                    .contains("WARN", LEASES + "It is refused. Grant it");
            assertThat(state(context).warnings()).containsExactly("It is refused. Grant it");
        });
    }

    @Test
    void logsNothingWhenTheApplicationDisabledTakeover(CapturedOutput output) {
        CrashTakeover refused = new CrashTakeover(CrashTakeover.State.OFF, "It is refused", "Grant it");
        application(refused, "distributed-lock.crash-takeover=0").run(context -> {
            assertThat(output).contains("crash-takeover off; this instance is ");
            assertThat(messages(output)).isEmpty();
            assertThat(state(context).crashTakeover())
                    .isEqualTo(CrashTakeover.off("distributed-lock.crash-takeover is 0"));
        });
    }

    @Test
    void logsNothingWhenLocksEndWithTheirProcess(CapturedOutput output) {
        application(CrashTakeover.UNNEEDED).run(context -> {
            assertThat(messages(output)).isEmpty();
            assertThat(state(context).crashTakeover()).isEqualTo(CrashTakeover.UNNEEDED);
        });
    }
}
