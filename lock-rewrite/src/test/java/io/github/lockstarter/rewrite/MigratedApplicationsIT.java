package io.github.lockstarter.rewrite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.redis.RedisServer;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.test.util.ReflectionTestUtils;

/** Applications of other libraries after their recipe: compiled without the library, and run as two instances. */
@Tag("full")
class MigratedApplicationsIT {

    private static final int THREADS = 8;
    private static final int CALLS = 160;

    private static RedisServer redis;

    @TempDir
    private static Path output;

    @BeforeAll
    static void start() {
        redis = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @Test
    void instancesOfTheApplicationOfLock4jExcludeEachOther() {
        assertThat(shipped(migrated("lock4j"))).isEqualTo(CALLS);
    }

    @Test
    void instancesOfTheApplicationOfRedissonExcludeEachOther() {
        assertThat(sold(migrated("redisson"))).isEqualTo(CALLS);
    }

    @Test
    void theJobOfTheApplicationOfShedLockRunsInOneInstance() {
        assertThat(reports(migrated("shedlock"))).isOne();
    }

    @Test
    void theCheckFindsApplicationsWithoutLocks() {
        SampleApplication warehouse = without("@DistributedLock", migrated("lock4j"));
        SampleApplication boxOffice = without("lock.", migrated("redisson"));
        SampleApplication nightly = without("LockHandle.", migrated("shedlock"));

        Duration patience = Patience.TIME.multipliedBy(5); // each try starts two applications
        await().atMost(patience)
                .untilAsserted(() -> assertThat(shipped(warehouse)).isLessThan(CALLS));
        await().atMost(patience).untilAsserted(() -> assertThat(sold(boxOffice)).isLessThan(CALLS));
        assertThat(reports(without("@ScheduledLock", nightly))).isEqualTo(2);
    }

    private static SampleApplication migrated(String library) {
        compile(SampleApplication.of(library), path -> true);
        return SampleApplication.migrated(library);
    }

    /** Without the lines that begin so. */
    private static SampleApplication without(String code, SampleApplication application) {
        Map<Path, String> files = new TreeMap<>(application.files());
        files.replaceAll((path, file) -> file.replaceAll("(?m)^ +\\Q" + code + "\\E.*", ""));
        assertThat(files).isNotEqualTo(application.files());
        return new SampleApplication(files);
    }

    private static int shipped(SampleApplication application) {
        return inTwoInstances(application, "warehouse.WarehouseServer", "warehouse", warehouses -> {
            crowd(warehouses, "ship", pallet(warehouses.get(0).getClass().getClassLoader()));
            return ReflectionTestUtils.invokeMethod(warehouses.get(0), "shipped");
        });
    }

    private static Object pallet(ClassLoader loader) {
        try {
            return loader.loadClass("warehouse.Pallet")
                    .getConstructor(String.class, long.class)
                    .newInstance("A", 42L);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static int sold(SampleApplication application) {
        return inTwoInstances(application, "boxoffice.BoxOfficeServer", "boxOffice", offices -> {
            crowd(offices, "sell", 42L);
            return ReflectionTestUtils.invokeMethod(offices.get(0), "sold");
        });
    }

    private static int reports(SampleApplication application) {
        return inTwoInstances(application, "nightly.NightlyServer", "nightlyJobs", jobs -> {
            jobs.forEach(each -> ReflectionTestUtils.invokeMethod(each, "report"));
            return ReflectionTestUtils.invokeMethod(jobs.get(0), "reports");
        });
    }

    /** Threads that call both instances, whose method counts without a lock of its own. */
    private static void crowd(List<Object> instances, String method, Object argument) {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        List<CompletableFuture<Void>> calls = new ArrayList<>();
        for (int i = 0; i < CALLS; i++) {
            Object instance = instances.get(i % 2);
            calls.add(CompletableFuture.runAsync(
                    () -> ReflectionTestUtils.invokeMethod(instance, method, argument), threads));
        }
        Patience.answer(CompletableFuture.allOf(calls.toArray(CompletableFuture<?>[]::new)));
        threads.shutdown();
    }

    private static int inTwoInstances(
            SampleApplication application, String main, String bean, Function<List<Object>, Integer> exercise) {
        Path classes = compile(application, path -> !path.toString().matches(".*(lock4j|redisson|shedlock)-.*jar"));
        try (URLClassLoader loader =
                        new URLClassLoader(new URL[] {classes.toUri().toURL()});
                ConfigurableApplicationContext one = instance(loader, main);
                ConfigurableApplicationContext two = instance(loader, main)) {
            return exercise.apply(List.of(one.getBean(bean), two.getBean(bean)));
        } catch (IOException | ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private static ConfigurableApplicationContext instance(ClassLoader loader, String main)
            throws ClassNotFoundException {
        return new SpringApplicationBuilder(loader.loadClass(main))
                .resourceLoader(new DefaultResourceLoader(loader))
                .run(
                        "--spring.data.redis.port=" + redis.port(),
                        "--distributed-lock.redis.command-timeout=20s",
                        "--distributed-lock.crash-takeover=0",
                        "--distributed-lock.max-wait=60s",
                        "--spring.autoconfigure.exclude="
                                + "com.baomidou.lock.spring.boot.autoconfigure.LockAutoConfiguration");
    }

    private static Path compile(SampleApplication application, Predicate<Path> usable) {
        try {
            Path sources = Files.createTempDirectory(output, "sources");
            Path classes = Files.createTempDirectory(output, "classes");
            String libraries = SampleApplication.libraries().stream()
                    .filter(usable)
                    .map(Path::toString)
                    .collect(Collectors.joining(File.pathSeparator));
            List<String> arguments =
                    new ArrayList<>(List.of("-parameters", "-proc:none", "-d", classes.toString(), "-cp", libraries));
            for (Map.Entry<Path, String> file : application.files().entrySet()) {
                if (file.getKey().toString().endsWith(".java")) {
                    Path source = sources.resolve(file.getKey());
                    Files.createDirectories(source.getParent());
                    arguments.add(Files.writeString(source, file.getValue()).toString());
                }
            }
            ByteArrayOutputStream errors = new ByteArrayOutputStream();
            int result = ToolProvider.getSystemJavaCompiler().run(null, null, errors, arguments.toArray(String[]::new));
            assertThat(result).as(errors.toString(StandardCharsets.UTF_8)).isZero();
            return classes;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
