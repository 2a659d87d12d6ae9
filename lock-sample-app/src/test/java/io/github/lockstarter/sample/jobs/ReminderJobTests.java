package io.github.lockstarter.sample.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.github.lockstarter.leader.LeaderGranted;
import io.github.lockstarter.leader.LeaderRevoked;
import io.github.lockstarter.leader.Leaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class ReminderJobTests {

    @Test
    void followsItsOwnRoleOnly(CapturedOutput output) {
        new ApplicationContextRunner()
                .withBean(Leaders.class, () -> mock(Leaders.class))
                .withBean(ReminderJob.class)
                .run(context -> {
                    context.publishEvent(new LeaderGranted("reports", 1));
                    context.publishEvent(new LeaderRevoked("reports", 1, LeaderRevoked.Cause.YIELDED));
                    assertThat(output).doesNotContain("reminders");
                    context.publishEvent(new LeaderGranted("reminders", 2));
                    context.publishEvent(new LeaderRevoked("reminders", 2, LeaderRevoked.Cause.LOST));
                    assertThat(output)
                            .contains("Sends the reminders from now on, term 2")
                            .contains("Sends no more reminders: LOST");
                });
    }
}
