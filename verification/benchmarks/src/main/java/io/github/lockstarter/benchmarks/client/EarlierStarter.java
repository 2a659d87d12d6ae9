package io.github.lockstarter.benchmarks.client;

import io.lettuce.core.RedisURI;
import java.io.File;
import java.lang.reflect.Constructor;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An earlier version of the starter, so that both versions take turns in one run. The folder contains {@code
 * lock-benchmarks.jar} of that version and its {@code lib}. All other libraries, such as Lettuce, are shared.
 */
final class EarlierStarter {

    static final String FOLDER = "lock.benchmarks.earlier";

    /** Separate, since versions with different key layouts refuse to share a key prefix. */
    private static final int DATABASE = 1;

    private EarlierStarter() {}

    static boolean isPresent() {
        return System.getProperty(FOLDER) != null;
    }

    static LockClient open(RedisURI uri) {
        try {
            Constructor<?> constructor =
                    Versioned.LOADER.loadClass(StarterClient.class.getName()).getDeclaredConstructor(RedisURI.class);
            constructor.setAccessible(true);
            RedisURI own = RedisURI.builder(uri).withDatabase(DATABASE).build();
            return (LockClient) constructor.newInstance(own);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(
                    "No client of an earlier version in the folder that -D" + FOLDER + " names", e);
        }
    }

    /** Loads classes and scripts of the starter from the folder, and the shared interfaces from the parent. */
    private static final class Versioned extends URLClassLoader {

        static final Versioned LOADER = new Versioned(new File(System.getProperty(FOLDER, "")));

        private static final String OURS = "io.github.lockstarter.";

        Versioned(File folder) {
            super(jars(folder), EarlierStarter.class.getClassLoader());
        }

        private static URL[] jars(File folder) {
            File[] libraries = new File(folder, "lib").listFiles((lib, name) -> name.startsWith("lock-"));
            Stream<File> all = Stream.concat(
                    Stream.of(new File(folder, "lock-benchmarks.jar")),
                    Arrays.stream(Objects.requireNonNullElse(libraries, new File[0])));
            return all.map(Versioned::url).toArray(URL[]::new);
        }

        private static URL url(File jar) {
            try {
                return jar.toURI().toURL();
            } catch (MalformedURLException e) {
                throw new IllegalArgumentException("Not a file: " + jar, e);
            }
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith(OURS) || name.startsWith(LockClient.class.getName())) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded == null ? findClass(name) : loaded;
            }
        }

        @Override
        public @Nullable URL getResource(String name) {
            URL own = findResource(name);
            return own == null ? super.getResource(name) : own;
        }
    }
}
