package io.github.lockstarter.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;

import io.github.lockstarter.HeldLock;
import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.architecture.DocumentedApplication.Ran;
import io.github.lockstarter.architecture.DocumentedApplication.Receipt;
import io.github.lockstarter.leader.LeaderGranted;
import io.github.lockstarter.leader.LeaderRevoked;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import java.util.stream.Stream;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.transaction.support.TransactionTemplate;
import reactor.core.publisher.Mono;

/** The Java code of the documents compiles, and does what it says in an application with locks in this JVM. */
class DocumentedCodeTests {

    private static final Map<String, String> NOT_COMPILED =
            Map.of("@EnableRetry(", "spring-retry is missing here: RetriedMethodTests");

    private static final Map<String, String> NOT_RUN =
            Map.of("Long left = redisFences.run", "needs Redis: RedisFencesIT");

    /** By method or first statement, where documents differ with the name of the document. */
    private static final Map<String, Exercise> EXERCISES = Map.ofEntries(
            holds("ship", "order:42"),
            Map.entry("docs/using-locks.md ship", DocumentedCodeTests::fallsBackWhenContended),
            holds("refresh", "prices"),
            holds("README.md report", "report"),
            holds("docs/scheduled-jobs.md report", "nightly-report"),
            holds("print", "label:42"),
            holds("withdraw", "account:42"),
            holds("locks.execute(\"order:42\", () -> archive(42));", "order:42"),
            holds("Execution<String> export = locks.tryExecute(\"export\", () -> write());", "export"),
            Map.entry("lockConnectionFactory", DocumentedCodeTests::isNoDefaultConnectionFactory),
            holds("docs/stores.md lead", "zookeeperLocks/leader"),
            Map.entry("collect", DocumentedCodeTests::runsOnTheLeader),
            Map.entry("docs/other-uses.md lead", DocumentedCodeTests::startsForItsRole),
            Map.entry("leave", DocumentedCodeTests::stopsForItsRole),
            holds("Leadership billing = leaders.role(\"billing\");"),
            holds("load", "cache:products:42"),
            Map.entry("lockProvider", DocumentedCodeTests::locksForShedLock),
            holdsWhenFree(
                    "locks.tryExecute(LockRequest.of(\"nightly-report\").minHold(Duration.ofSeconds(30)), this::write);",
                    "nightly-report"),
            holds("refusesToShipWhileAnotherCallerHoldsTheLock"),
            Map.entry("when(locks.execute(any(LockRequest.class), anyAction()))", DocumentedCodeTests::answersForAMock),
            Map.entry("noLockedMethodIsCalledThroughThis", DocumentedCodeTests::findsACallThroughThis),
            holds(
                    "LockRequest accounts = LockRequest.ofAll(keys).inTransaction(InTransaction.RELEASE_AFTER);",
                    "account:1 account:2"),
            holds(
                    "locks.execute(\"account:\" + id, () -> transaction.executeWithoutResult(tx -> withdraw(amount)));",
                    "account:42"),
            Map.entry(
                    "TransactionLocks.releaseAfterCompletion(locks.acquire(\"account:\" + id));",
                    DocumentedCodeTests::isHeldUntilTheTransactionEnds),
            holds(
                    "CompletableFuture<Receipt> one = locks.executeAsync(\"order:42\", () -> client.shipAsync(42));",
                    "order:42"),
            Map.entry("Mono<Receipt> sent = operator.transactional(", code -> code.sees()),
            holds("transfer", "account:42 account:43"),
            holds("merge", "order:3 order:7"),
            holds("submit", "submit:42"),
            holds("quote", "partner-api"),
            holds("send", "sms"),
            Map.entry(
                    "LockHandle worker = locks.acquire(LockRequest.of(\"worker-id\").permits(64).ownedByHandle());",
                    DocumentedCodeTests::stopsWhenLost),
            holds("rebuildIndex", "index"),
            holds("price", "catalog:42"),
            holds("reprice", "catalog:42"),
            Map.entry(
                    "LockHandle lock = LockHandle.current().orElseThrow();",
                    code -> code.context.getBean(LockOperations.class).execute("order:42", () -> {
                        code.sees();
                        return null;
                    })),
            holds("Receipt receipt = locks.execute(\"order:42\", () -> archive(42));", "order:42"),
            holdsWhenFree("Execution<String> report = locks.tryExecute(\"report\", () -> write());", "report"),
            holds("LockRequest request = LockRequest.of(\"order:42\").maxWait(Duration.ofSeconds(2));", "order:42"),
            holds("String ticket;", "order:42"),
            holds("Lock asLock = locks.asLock(\"order:42\");"),
            Map.entry("handle", code -> {
                code.sees("");
                code.sees(); // already handled
            }));

    /** A wrong block of a document, and what must be said about it. */
    private static final Map<DocumentedCode, String> WRONG = Map.of(
            wrong(
                    1,
                    "other-uses.md",
                    "@EventListener\nvoid lead(LeaderGranted event) { consumer.start(event.term()); }"),
            "\"start 2\"",
            wrong(2, "getting-started.md", "public void ship(long orderId) { … }"),
            "[\"order:42\"]",
            wrong(3, "getting-started.md", "@DistributedLock(name = \"order\")\npublic void pack(long orderId) { … }"),
            "no exercise of 'pack'");

    @TempDir
    private static Path output;

    private static List<DocumentedCode> blocks;
    private static URLClassLoader classes;
    private static ConfigurableApplicationContext context;

    @BeforeAll
    static void start() throws IOException {
        blocks = DocumentedCode.all().stream()
                .filter(block -> NOT_COMPILED.keySet().stream().noneMatch(block.code()::contains))
                .toList();
        List<DocumentedCode> all =
                Stream.concat(blocks.stream(), WRONG.keySet().stream()).toList();
        assertThat(DocumentedCode.compile(all, output)).isEmpty();
        classes = new URLClassLoader(new URL[] {output.toUri().toURL()}, DocumentedCodeTests.class.getClassLoader());
        context = new SpringApplicationBuilder(DocumentedConfiguration.class)
                .web(WebApplicationType.NONE)
                .resourceLoader(new DefaultResourceLoader(classes))
                .logStartupInfo(false)
                .registerShutdownHook(false)
                .properties(
                        "spring.main.banner-mode=off",
                        "distributed-lock.backend=local",
                        "distributed-lock.max-wait=0s",
                        "distributed-lock.lease=60s",
                        "distributed-lock.max-lease=60s",
                        "distributed-lock.cache.names=products")
                .initializers(started -> all.forEach(block -> register((GenericApplicationContext) started, block)))
                .run();
    }

    private static void register(GenericApplicationContext started, DocumentedCode block) {
        try {
            started.registerBean(block.className(), classes.loadClass(block.className()));
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    @AfterAll
    static void stop() throws IOException {
        context.close();
        classes.close();
    }

    @Test
    void doesWhatItSays() {
        Set<String> unused = new TreeSet<>(EXERCISES.keySet());
        Set<String> known = new HashSet<>();
        List<String> found = new ArrayList<>();
        for (DocumentedCode block : blocks) {
            if (known.add(block.code()) && NOT_RUN.keySet().stream().noneMatch(block.code()::contains)) {
                found.addAll(problemsOf(block, unused));
            }
        }

        assertThat(known).hasSizeGreaterThan(25);
        assertThat(found).isEmpty();
        assertThat(unused).as("exercises of no block").isEmpty();
    }

    @Test
    void theCheckFindsWrongCode() {
        assertThat(WRONG).allSatisfy((block, problem) -> assertThat(problemsOf(block, new HashSet<>()))
                .singleElement()
                .asString()
                .contains(problem));
    }

    @Test
    void theCheckFindsAMethodThatDoesNotExist() {
        DocumentedCode wrong =
                wrong(4, "getting-started.md", "LockHandle lock = locks.obtain(\"order:42\");\nlock.close();\n");

        assertThat(DocumentedCode.compile(List.of(wrong), output))
                .singleElement()
                .asString()
                .startsWith("docs/getting-started.md:1: ")
                .contains("obtain");
    }

    private static DocumentedCode wrong(int number, String document, String code) {
        return DocumentedCode.of(1_000 + number, "docs/" + document, 1, code);
    }

    private static List<String> problemsOf(DocumentedCode block, Set<String> unused) {
        return Stream.concat(
                        Stream.of(classOf(block)), Arrays.stream(classOf(block).getDeclaredClasses()))
                .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
                .filter(method -> !method.isSynthetic() && !Modifier.isPrivate(method.getModifiers()))
                .flatMap(method -> problemOf(block, method, unused).stream())
                .toList();
    }

    private static Class<?> classOf(DocumentedCode block) {
        try {
            return classes.loadClass(block.className());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Optional<String> problemOf(DocumentedCode block, Method method, Set<String> unused) {
        String title = block.title(method.getName());
        String key = EXERCISES.containsKey(block.document() + " " + title) ? block.document() + " " + title : title;
        if (!EXERCISES.containsKey(key)) {
            return Optional.of(block.place() + ": no exercise of '" + title + "'");
        }
        unused.remove(key);
        try {
            EXERCISES.get(key).run(new Code(context, block.className(), method));
            await().pollDelay(Duration.ZERO).until(DocumentedCodeTests::isNothingHeld);
            return Optional.empty();
        } catch (Throwable problem) {
            return Optional.of(block.place() + ": '" + title + "': " + problem);
        }
    }

    /** Roles are held at any time. A release may be asynchronous. */
    private static boolean isNothingHeld() {
        return context.getBean(HeldLocks.class).snapshot().stream()
                .allMatch(lock -> lock.key().startsWith("leader:"));
    }

    private interface Exercise {

        void run(Code code) throws Throwable;
    }

    /** A documented method or statements, as a bean. */
    private record Code(ConfigurableApplicationContext context, String bean, Method method) {

        List<String> seen() {
            return target().seen();
        }

        DocumentedApplication target() {
            return (DocumentedApplication) context.getBean(bean);
        }

        /** Calls it, and expects notes, which asynchronous work makes later. */
        void sees(String... expected) throws Throwable {
            int former = seen().size();
            call(target());
            await().pollDelay(Duration.ZERO).until(() -> seen().size() >= former + expected.length);
            assertThat(seen().subList(former, seen().size())).containsExactly(expected);
        }

        Object call(DocumentedApplication application) throws Throwable {
            Object target = method.getDeclaringClass().isInstance(application) ? application : test(application);
            method.setAccessible(true);
            Object[] arguments = new Object[method.getParameterCount()];
            for (int i = 0; i < arguments.length; i++) {
                arguments[i] = argument(method.getParameterTypes()[i], i);
            }
            try {
                Object result = method.invoke(target, arguments);
                return result instanceof Mono<?> mono
                        ? mono.block()
                        : result instanceof CompletableFuture<?> future ? future.join() : result;
            } catch (InvocationTargetException | CompletionException e) {
                if (e.getCause() instanceof Ran) {
                    return null;
                }
                throw e.getCause();
            }
        }

        private Object test(DocumentedApplication outer) throws ReflectiveOperationException {
            Constructor<?> constructor = method.getDeclaringClass().getDeclaredConstructors()[0];
            constructor.setAccessible(true);
            Object test = constructor.newInstance(outer);
            context.getAutowireCapableBeanFactory().autowireBean(test);
            return test;
        }

        private static Object argument(Class<?> type, int index) throws ReflectiveOperationException {
            if (type == long.class) {
                return 42L + index;
            }
            if (type == BigDecimal.class) {
                return BigDecimal.ONE;
            }
            if (type == List.class) {
                return List.of(7L, 3L);
            }
            Class<?> component = type.getRecordComponents()[0].getType();
            return type.getDeclaredConstructors()[0].newInstance(component == long.class ? (Object) 42L : "text");
        }
    }

    private static Map.Entry<String, Exercise> holds(String title, String... keys) {
        return Map.entry(title, code -> code.sees(keys));
    }

    /** After a job that keeps its lock for a minimum hold. */
    private static Map.Entry<String, Exercise> holdsWhenFree(String title, String key) {
        return Map.entry(title, code -> {
            LockAdmin admin = code.context.getBean(LockAdmin.class);
            if (admin.inspect(key).join() instanceof StoredLock.Kept kept) {
                admin.revoke(key, kept.fencingToken()).join();
            }
            code.sees(key);
        });
    }

    private static void fallsBackWhenContended(Code code) throws Throwable {
        code.sees("order:42");
        if (code.method.getReturnType() == Receipt.class) {
            try (LockHandle other = code.context
                    .getBean(LockOperations.class)
                    .acquireAsync("order:42")
                    .join()) {
                assertThat(code.call(code.target())).isEqualTo(Receipt.later(42));
                assertThat(other.isHeld()).isTrue();
            }
        }
    }

    private static void isNoDefaultConnectionFactory(Code code) {
        DocumentedConfiguration.Connections connections =
                code.context.getBean(DocumentedConfiguration.Connections.class);
        assertThat(connections.ofTheApplication().getIfAvailable()).isNull();
        assertThat(connections.ofLocks().getObject().getHostName()).isEqualTo("redis-locks.internal");
    }

    private static void runsOnTheLeader(Code code) {
        await().untilAsserted(() -> {
            code.call(code.target());
            assertThat(code.seen()).isNotEmpty();
        });
    }

    private static void startsForItsRole(Code code) {
        code.context.publishEvent(new LeaderGranted("billing", 1));
        code.context.publishEvent(new LeaderGranted("reports", 2));
        assertThat(code.seen())
                .filteredOn(Set.of("start 1", "start 2")::contains)
                .containsExactly("start 1");
    }

    private static void stopsForItsRole(Code code) {
        code.context.publishEvent(new LeaderRevoked("billing", 1, LeaderRevoked.Cause.YIELDED));
        code.context.publishEvent(new LeaderRevoked("reports", 2, LeaderRevoked.Cause.YIELDED));
        assertThat(code.seen()).filteredOn("stop"::equals).hasSize(1);
    }

    private static void locksForShedLock(Code code) {
        LockConfiguration report =
                new LockConfiguration(Instant.now(), "report", Duration.ofSeconds(30), Duration.ZERO);
        assertThat(code.context.getBean(LockProvider.class).lock(report)).hasValueSatisfying(lock -> {
            assertThat(code.context.getBean(HeldLocks.class).find("shedlock:report"))
                    .isPresent();
            lock.unlock();
        });
    }

    private static void answersForAMock(Code code) throws Throwable {
        DocumentedApplication application = (DocumentedApplication)
                code.method.getDeclaringClass().getDeclaredConstructor().newInstance();
        application.locks = mock(LockOperations.class);
        code.call(application);
        Supplier<LockOperations> locks = () -> application.locks;
        assertThat(locks.get().<String, RuntimeException>execute(LockRequest.of("order:42"), () -> "shipped"))
                .isEqualTo("shipped");
    }

    private static void findsACallThroughThis(Code code) {
        assertThatThrownBy(() -> code.call(code.target()))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("com.example.shop.Shop.shipAll()");
    }

    private static void isHeldUntilTheTransactionEnds(Code code) {
        HeldLocks held = code.context.getBean(HeldLocks.class);
        code.context.getBean(TransactionTemplate.class).executeWithoutResult(transaction -> {
            assertThat(catchThrowable(() -> code.call(code.target()))).isNull();
            assertThat(held.find("account:42")).isPresent();
        });
        assertThat(held.find("account:42")).isEmpty();
    }

    private static void stopsWhenLost(Code code) throws Throwable {
        code.sees("worker-id");
        LockAdmin admin = code.context.getBean(LockAdmin.class);
        HeldLock worker = admin.heldLocks().find("worker-id").orElseThrow();
        admin.revoke("worker-id", worker.slot(), worker.fencingToken()).join();
        await().untilAsserted(() -> assertThat(code.seen()).containsExactly("worker-id", "stop"));
    }
}
