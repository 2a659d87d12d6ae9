package io.github.lockstarter.redis.batch;

import static java.util.stream.Collectors.toList;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.redis.batch.CallBatcher.Collected;
import io.github.lockstarter.redis.batch.CallBatcher.Sender;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CallBatcherTests {

    /** Answers what was sent when a test says so. */
    private static final class Recorder implements Sender<Integer, String> {

        private final List<List<Integer>> sent = new CopyOnWriteArrayList<>();
        private final ConcurrentLinkedQueue<Runnable> answers = new ConcurrentLinkedQueue<>();

        @Override
        public CompletionStage<String> one(Integer call) {
            CompletableFuture<String> result = new CompletableFuture<>();
            sent.add(List.of(call));
            answers.add(() -> result.complete("one " + call));
            return result;
        }

        @Override
        public CompletionStage<?> many(List<Collected<Integer, String>> calls) {
            CompletableFuture<Void> answered = new CompletableFuture<>();
            sent.add(calls.stream().map(Collected::call).toList());
            answers.add(() -> {
                calls.forEach(call -> call.complete("many " + call.call()));
                answered.complete(null);
            });
            return answered;
        }

        void answer() {
            Runnable next = answers.poll();
            assertThat(next).isNotNull();
            next.run();
        }
    }

    /** Ended: no call is overdue, however slow the machine is. */
    private static final ScheduledExecutorService TIMER = Executors.newSingleThreadScheduledExecutor();

    @BeforeAll
    static void stop() {
        TIMER.shutdown();
    }

    private final List<Collected<Integer, String>> ended = new CopyOnWriteArrayList<>();
    private final Recorder recorder = new Recorder();
    private final CallBatcher<Integer, String> batcher = new CallBatcher<>(recorder, TIMER, ended::add);

    private List<CompletableFuture<String>> send(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(i -> batcher.send(i).toCompletableFuture())
                .collect(toList());
    }

    @Test
    void sendsAtOnceWhatFindsNothingUnderWay() {
        assertThat(send(0, 1).get(0)).isNotDone();
        assertThat(recorder.sent).containsExactly(List.of(0));
        recorder.answer();
        send(1, 2);
        assertThat(recorder.sent).containsExactly(List.of(0), List.of(1));
    }

    @Test
    void collectsWhileACallIsUnderWay() {
        List<CompletableFuture<String>> results = send(0, 4);
        assertThat(recorder.sent).containsExactly(List.of(0));
        recorder.answer();
        assertThat(recorder.sent).containsExactly(List.of(0), List.of(1, 2, 3));
        assertThat(results.get(0)).isCompletedWithValue("one 0");
        assertThat(results.get(3)).isNotDone();
        recorder.answer();
        assertThat(results.get(3)).isCompletedWithValue("many 3");
        assertThat(ended).extracting(Collected::call).containsExactly(1, 2, 3);
        assertThat(recorder.sent).hasSize(2);
    }

    @Test
    void sendsByItselfWhatWasCollectedAlone() {
        List<CompletableFuture<String>> results = send(0, 2);
        recorder.answer();
        recorder.answer();
        assertThat(recorder.sent).containsExactly(List.of(0), List.of(1));
        assertThat(results.get(1)).isCompletedWithValue("one 1");
    }

    @Test
    void boundsWhatTravelsTogether() {
        send(0, 2 + CallBatcher.MOST);
        recorder.answer();
        recorder.answer();
        assertThat(recorder.sent).extracting(List::size).containsExactly(1, CallBatcher.MOST, 1);
    }

    @Test
    void doesNotWaitForAServerThatHangs() {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        CallBatcher<Integer, String> timed = new CallBatcher<>(recorder, timer, ended::add);
        List<CompletableFuture<String>> results = IntStream.range(0, 3)
                .mapToObj(i -> timed.send(i).toCompletableFuture())
                .toList();
        // The others together, unless this thread stood still between them.
        await().untilAsserted(() ->
                assertThat(recorder.sent.stream().flatMap(List::stream)).containsExactly(0, 1, 2));
        assertThat(recorder.sent).startsWith(List.of(0));
        int calls = recorder.sent.size();
        IntStream.range(0, calls).forEach(i -> recorder.answer());
        assertThat(results).allMatch(CompletableFuture::isDone);
        timed.send(3);
        assertThat(recorder.sent).hasSize(calls + 1).endsWith(List.of(3));
        timer.shutdown();
    }

    /** Such as where the connection is closed. */
    @Test
    void doesNotNestCallsThatEndAtOnce() {
        CompletableFuture<String> first = new CompletableFuture<>();
        AtomicInteger sent = new AtomicInteger();
        CallBatcher<Integer, String> closing = new CallBatcher<>(
                new Sender<>() {
                    @Override
                    public CompletionStage<String> one(Integer call) {
                        return call == 0
                                ? first
                                : CompletableFuture.completedFuture("closed " + sent.incrementAndGet());
                    }

                    @Override
                    public CompletionStage<?> many(List<Collected<Integer, String>> calls) {
                        sent.addAndGet(calls.size());
                        calls.forEach(call -> call.complete("closed"));
                        return CompletableFuture.completedFuture(null);
                    }
                },
                TIMER,
                end -> {});
        List<CompletionStage<String>> results =
                IntStream.range(0, 100_000).mapToObj(closing::send).collect(toList());
        first.complete("answered");
        assertThat(results).allMatch(result -> result.toCompletableFuture().isDone());
        assertThat(sent).hasValue(99_999);
    }

    /** Under a race of senders with answers, each call is sent once, answered once, and few are under way at a time. */
    @Test
    void losesNothingBetweenThreads() throws Exception {
        int threads = 4;
        int callsOfEach = 20_000;
        AtomicInteger underWay = new AtomicInteger();
        AtomicInteger mostUnderWay = new AtomicInteger();
        AtomicInteger sent = new AtomicInteger();
        ExecutorService server = Executors.newSingleThreadExecutor();
        ExecutorService callers = Executors.newFixedThreadPool(threads);
        try {
            CallBatcher<Integer, String> racing = new CallBatcher<>(
                    new Sender<>() {
                        private CompletableFuture<String> answered(int calls) {
                            sent.addAndGet(calls);
                            mostUnderWay.accumulateAndGet(underWay.incrementAndGet(), Math::max);
                            return CompletableFuture.supplyAsync(
                                    () -> {
                                        underWay.decrementAndGet();
                                        return "done";
                                    },
                                    server);
                        }

                        @Override
                        public CompletionStage<String> one(Integer call) {
                            return answered(1);
                        }

                        @Override
                        public CompletionStage<?> many(List<Collected<Integer, String>> calls) {
                            return answered(calls.size())
                                    .thenAccept(done -> calls.forEach(call -> call.complete(done)));
                        }
                    },
                    TIMER,
                    end -> {});
            List<Future<?>> work = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                work.add(callers.submit(() -> {
                    for (int call = 0; call < callsOfEach; call++) {
                        assertThat(racing.send(call).toCompletableFuture().get(30, TimeUnit.SECONDS))
                                .isEqualTo("done");
                    }
                    return null;
                }));
            }
            for (Future<?> each : work) {
                each.get();
            }
        } finally {
            callers.shutdown();
            server.shutdown();
        }
        assertThat(sent).hasValue(threads * callsOfEach);
        assertThat(mostUnderWay.get()).isLessThanOrEqualTo(CallBatcher.MOST_UNDER_WAY);
    }
}
