package io.github.lockstarter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.redis.CallQueue.Sender;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class CallQueueTests {

    private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(300);

    /** Answers sent commands when a test requests it. */
    private final class Recorder implements Sender<Integer, String> {

        private final String kind;
        private volatile boolean collected = true;

        private Recorder(String kind) {
            this.kind = kind;
        }

        @Override
        public boolean isCollected(Integer command) {
            return collected;
        }

        @Override
        public CompletionStage<List<String>> send(List<Integer> commands) {
            CompletableFuture<List<String>> answered = new CompletableFuture<>();
            sent.add(kind + commands);
            answers.add(() -> answered.complete(Collections.nCopies(commands.size(), "answered")));
            return answered;
        }

        @Override
        public String unsent(Integer command) {
            return "unsent";
        }
    }

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final List<String> sent = new CopyOnWriteArrayList<>();
    private final ConcurrentLinkedQueue<Runnable> answers = new ConcurrentLinkedQueue<>();
    private final Recorder attempts = new Recorder("attempts");
    private final Recorder releases = new Recorder("releases");
    private volatile boolean timeStandsStill;
    private volatile Duration passed = Duration.ZERO;
    private final CallQueue queue =
            new CallQueue(timer, COMMAND_TIMEOUT, () -> timeStandsStill ? passed.toNanos() : System.nanoTime());

    @AfterEach
    void stop() {
        timer.shutdownNow();
    }

    private List<CompletableFuture<String>> attempt(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(i -> queue.attempt(attempts, i).toCompletableFuture())
                .toList();
    }

    private void release(int... numbers) {
        IntStream.of(numbers).forEach(number -> queue.inOrder(releases, number));
    }

    private void answer() {
        Runnable next = answers.poll();
        assertThat(next).isNotNull();
        next.run();
    }

    /** No call is overdue, however slow the machine is. */
    private void withoutPatience() {
        timeStandsStill = true;
        timer.shutdown();
    }

    @Test
    void batchesCallsWhileTwoAreUnanswered() {
        withoutPatience();
        List<CompletableFuture<String>> results = attempt(0, 5);
        assertThat(sent).containsExactly("attempts[0]", "attempts[1]");
        answer();
        assertThat(sent).endsWith("attempts[2, 3, 4]");
        assertThat(results.get(0)).isCompletedWithValue("answered");
        assertThat(results.get(4)).isNotDone();
        answer();
        answer();
        assertThat(results).allMatch(CompletableFuture::isDone);
        assertThat(sent).hasSize(3);
    }

    @Test
    void sendsAFullScriptWithoutWaitingForAnAnswer() {
        withoutPatience();
        attempt(0, 2 + CallQueue.MOST);
        assertThat(sent).hasSize(3);
    }

    @Test
    void sendsReleasesInTheirOrderBeforeEarlierAttempts() {
        withoutPatience();
        attempt(0, 3);
        release(3, 4);
        queue.inOrder(() -> CompletableFuture.completedFuture(sent.add("withdrawal")));
        release(5);
        assertThat(sent).containsExactly("attempts[0]", "attempts[1]", "releases[3, 4]", "withdrawal");
        answer();
        answer();
        answer();
        assertThat(sent).endsWith("releases[5]", "attempts[2]");
    }

    /** Also where the attempt is full before the releases are. */
    @Test
    void sendsNoAttemptAheadOfAnEarlierRelease() {
        withoutPatience();
        attempt(0, 2);
        release(2);
        attempt(3, 3 + CallQueue.MOST);
        assertThat(sent.get(2)).isEqualTo("releases[2]");
        assertThat(sent.get(3)).startsWith("attempts[3, 4");
    }

    /** At least three scripts, however few passes sent the calls. */
    @Test
    void doesNotWaitForAServerThatHangs() {
        attempt(0, 2);
        awaitSent("0", "1");
        attempt(2, 5);
        release(5, 6);
        awaitSent("2", "3", "4", "5", "6");
    }

    private void awaitSent(String... calls) {
        await().untilAsserted(() -> assertThat(String.join("", sent)).contains(calls));
    }

    @Test
    void rejectsDelayedAttemptsThatAreTooLateAsUnsent() {
        timeStandsStill = true;
        attempts.collected = false;
        List<CompletableFuture<String>> results = attempt(0, CallQueue.MOST_UNANSWERED + 2);
        await().untilAsserted(() -> assertThat(sent).hasSize(CallQueue.MOST_UNANSWERED));
        answer();
        await().untilAsserted(() -> assertThat(sent).hasSize(CallQueue.MOST_UNANSWERED + 1));
        release(0);
        passed = CallQueue.PATIENCE;
        await("a release does not wait for room")
                .untilAsserted(() -> assertThat(sent).endsWith("releases[0]"));
        passed = COMMAND_TIMEOUT;
        assertThat(results.get(CallQueue.MOST_UNANSWERED + 1))
                .succeedsWithin(Patience.TIME)
                .isEqualTo("unsent");
    }

    @Test
    void countsEachAttemptOfABatch() {
        withoutPatience();
        attempt(0, 4 * CallQueue.MOST_UNANSWERED);
        assertThat(sent.stream().mapToInt(script -> script.split(",").length).sum())
                .isBetween(CallQueue.MOST_UNANSWERED, CallQueue.MOST_UNANSWERED + CallQueue.MOST - 1);
    }

    /** Runs tasks when a test requests it; accepts a task before it fails. */
    private static final class FailingLoop extends ScheduledThreadPoolExecutor {

        private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
        private boolean fails;

        FailingLoop() {
            super(0);
        }

        @Override
        public void execute(Runnable task) {
            tasks.add(task);
            if (fails) {
                throw new StackOverflowError();
            }
        }

        void run() {
            for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                task.run();
            }
        }
    }

    @Test
    void sendsOnlyOnTheLoopAfterAnErrorOfTheLoop() {
        FailingLoop loop = new FailingLoop();
        CallQueue failing = new CallQueue(loop, COMMAND_TIMEOUT, System::nanoTime);
        loop.fails = true;
        assertThatThrownBy(() -> failing.inOrder(releases, 0)).isInstanceOf(StackOverflowError.class);
        assertThat(sent).isEmpty();
        loop.fails = false;
        loop.run();
        failing.inOrder(releases, 1);
        loop.run();
        assertThat(sent).containsExactly("releases[0]", "releases[1]");
    }

    @Test
    void sendsTheNextCallAfterStackOverflowsAtEachDepth() throws InterruptedException {
        FailingLoop loop = new FailingLoop();
        CallQueue failing = new CallQueue(loop, COMMAND_TIMEOUT, System::nanoTime);
        releases.collected = false;
        Thread deep = new Thread(null, () -> addAtEachDepth(failing), "deep", 512 * 1024);
        deep.start();
        deep.join();
        loop.run();
        sent.clear();
        failing.inOrder(releases, 1);
        loop.run();
        assertThat(sent).containsExactly("releases[1]");
    }

    @SuppressWarnings("InfiniteRecursion") // until the stack is full
    private void addAtEachDepth(CallQueue failing) {
        try {
            addAtEachDepth(failing);
        } catch (StackOverflowError e) {
            failing.inOrder(releases, 0);
        }
    }

    @Test
    void failsACallThatCannotBeSentAndContinues() {
        withoutPatience();
        List<CompletionStage<String>> failing = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            failing.add(queue.inOrder(() -> {
                throw new OutOfMemoryError("as if");
            }));
        }
        assertThat(failing).allSatisfy(call -> assertThatThrownBy(
                        () -> call.toCompletableFuture().get(Patience.SECONDS, TimeUnit.SECONDS))
                .hasCauseInstanceOf(OutOfMemoryError.class));
        attempt(0, 2);
        assertThat(sent).containsExactly("attempts[0]", "attempts[1]");
    }
}
