package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.autoconfigure.testing.LockRunner;
import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * An application without Reactor, RxJava, Kotlin and context-propagation, and each of its classes loaded without them.
 */
class OptionalLibrariesTests {

    private static final Pattern LEFT_OUT =
            Pattern.compile("(reactor-|reactive-streams|rxjava|kotlin|context-propagation|spring-webflux).*\\.jar");

    /** Runs in its own class loader, so it returns the asserted values. */
    public static final class Application {

        private Application() {}

        /** Public, as are all that a proxy of another loader calls. */
        public static class Orders {

            @DistributedLock(name = "order")
            public String ship() {
                return "shipped";
            }

            @DistributedLock(name = "order")
            public CompletableFuture<String> bill() {
                return CompletableFuture.completedFuture("billed");
            }
        }

        public static String run() {
            StringBuilder seen = new StringBuilder();
            LockRunner.application().withBean(Orders.class).run(context -> {
                Orders orders = context.getBean(Orders.class);
                seen.append(orders.ship()).append(", ").append(orders.bill().join());
                seen.append(", ").append(context.containsBean("distributedLockReactiveTemplate"));
            });
            return seen.toString();
        }
    }

    @Test
    void locksWithoutTheOptionalLibraries() throws Exception {
        URL[] classPath = Pattern.compile(File.pathSeparator, Pattern.LITERAL)
                .splitAsStream(System.getProperty("java.class.path"))
                .map(Path::of)
                .filter(entry ->
                        !LEFT_OUT.matcher(entry.getFileName().toString()).matches())
                .map(OptionalLibrariesTests::url)
                .toArray(URL[]::new);
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader without = new URLClassLoader(classPath, ClassLoader.getPlatformClassLoader())) {
            thread.setContextClassLoader(without);
            assertThat(isThere("reactor.core.publisher.Mono", without)).isFalse();
            assertThat(isThere("io.micrometer.context.ThreadLocalAccessor", without))
                    .isFalse();
            Object seen = without.loadClass(Application.class.getName())
                    .getMethod("run")
                    .invoke(null);
            assertThat(seen).isEqualTo("shipped, billed, false");
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static boolean isThere(String type, ClassLoader loader) {
        try {
            loader.loadClass(type);
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    private static URL url(Path entry) {
        try {
            return entry.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalStateException(e);
        }
    }
}
