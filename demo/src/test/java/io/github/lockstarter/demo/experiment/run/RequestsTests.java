package io.github.lockstarter.demo.experiment.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class RequestsTests {

    private final RequestSchedule requests = new RequestSchedule(4, 2);
    private final List<Integer> sent = new CopyOnWriteArrayList<>();

    @Test
    void holdsBackTheLastRequestsUntilTheEnd() {
        CompletableFuture<Void> answers = requests.send(this::answered);

        assertThat(sent).containsExactly(0, 1);
        assertThat(requests.areUnderWay()).isFalse();
        assertThat(answers).isNotDone();
    }

    @Test
    void sendsOneRequestPerActAndThenTheRest() {
        CompletableFuture<Void> answers = requests.send(this::answered);

        requests.sendOne();
        assertThat(sent).containsExactly(0, 1, 2);
        assertThat(answers).isNotDone();

        requests.sendRest();
        assertThat(sent).containsExactly(0, 1, 2, 3);
        assertThat(answers).isCompleted();

        requests.sendOne();
        assertThat(requests.areUnderWay()).isFalse();
    }

    @Test
    void reportsWhetherARequestIsRunning() {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        assertThat(requests.areUnderWay()).as("before they are sent").isTrue();

        requests.send(number -> answer);
        assertThat(requests.areUnderWay()).isTrue();

        answer.complete(null);
        assertThat(requests.areUnderWay()).isFalse();
    }

    private CompletableFuture<Void> answered(int number) {
        sent.add(number);
        return CompletableFuture.completedFuture(null);
    }
}
