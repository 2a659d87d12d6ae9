package io.github.lockstarter.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.aop.LockAdvisor;
import io.github.lockstarter.autoconfigure.redis.RedisLockAutoConfiguration;
import io.github.lockstarter.etcd.EtcdLockBackend;
import io.github.lockstarter.jdbc.JdbcLockBackend;
import io.github.lockstarter.redis.RedisLockBackend;
import io.github.lockstarter.redlock.RedlockBackend;
import io.github.lockstarter.zookeeper.ZooKeeperLockBackend;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;

/**
 * The classes with a monitor. On JDK 21 to 23, a virtual thread that waits inside a monitor pins its carrier; if it
 * waits for a lock whose next owner needs a carrier, and all carriers are pinned, none makes progress.
 *
 * <p>A body has one around its interrupt, which a platform thread delivers.
 *
 * <p>The engine and the Redis stores have monitors, since a thread that dies of a stack overflow cannot leave them
 * locked. Inside, none of these classes takes a lock that is not a monitor, and only the timer's own thread waits, so
 * each owner leaves its monitor. The in-JVM store also has one, inside which it takes the locks of its executor;
 * otherwise only the executor's platform thread takes these locks, and the thread that closes the store.
 */
class MonitorTests {

    private static final Set<String> WITH_MONITOR = Set.of(
            "io.github.lockstarter.InterruptibleBody",
            "io.github.lockstarter.engine.EngineTokens",
            "io.github.lockstarter.engine.Heartbeat",
            "io.github.lockstarter.engine.KeyLock",
            "io.github.lockstarter.engine.StoreCalls",
            "io.github.lockstarter.engine.TimerThread",
            "io.github.lockstarter.local.LocalLockBackend",
            "io.github.lockstarter.redis.connection.RedisConnections",
            "io.github.lockstarter.redis.KeySpace",
            "io.github.lockstarter.redlock.Candidate",
            "io.github.lockstarter.redlock.NodeAnswers",
            "io.github.lockstarter.redlock.NodeClock",
            "io.github.lockstarter.redlock.QueuePlaces",
            "io.github.lockstarter.redlock.QuorumEvents",
            "io.github.lockstarter.redlock.UnreleasedTokens");

    @Test
    void onlyTheListedClassesHaveAMonitor() throws Exception {
        List<String> found = new ArrayList<>();
        for (Class<?> module : List.of(
                LockTemplate.class,
                RedisLockBackend.class,
                EtcdLockBackend.class,
                JdbcLockBackend.class,
                LockAdvisor.class,
                RedisLockAutoConfiguration.class,
                RedlockBackend.class,
                ZooKeeperLockBackend.class)) {
            Path location = locationOf(module);
            if (Files.isDirectory(location)) {
                found.addAll(monitorsBelow(location));
            } else {
                try (FileSystem jar = FileSystems.newFileSystem(location)) {
                    found.addAll(monitorsBelow(jar.getPath("/")));
                }
            }
        }
        assertThat(found.stream().map(MonitorTests::topLevelTypeOf))
                .as("types with a monitor")
                .containsOnly(WITH_MONITOR.toArray(String[]::new));
    }

    private static String topLevelTypeOf(String method) {
        return method.substring(0, method.lastIndexOf('.')).replaceAll("\\$.*", "");
    }

    /** That they do not wait either is a rule for all classes ({@code ArchitectureTests.onlyOneClassBlocks}). */
    @Test
    void classesWithAMonitorUseNoOtherKindOfLock() {
        noClasses()
                .that(describe(
                        "have a monitor",
                        type -> WITH_MONITOR.contains(type.getName().replaceAll("\\$.*", ""))))
                .should()
                .dependOnClassesThat()
                .resideInAPackage("java.util.concurrent.locks")
                .check(ArchitectureTests.STARTER);
    }

    private static List<String> monitorsBelow(Path classes) throws IOException {
        List<String> found = new ArrayList<>();
        try (Stream<Path> files = Files.walk(classes)) {
            List<Path> all =
                    files.filter(each -> each.toString().endsWith(".class")).toList();
            assertThat(all).as("classes of %s", classes).isNotEmpty();
            for (Path file : all) {
                found.addAll(monitorsIn(file));
            }
        }
        return found;
    }

    private static Path locationOf(Class<?> type) throws URISyntaxException {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    }

    @Test
    void findsSynchronizedMethodsAndBlocks() throws Exception {
        Path planted =
                locationOf(MonitorTests.class).resolve(Planted.class.getName().replace('.', '/') + ".class");
        assertThat(monitorsIn(planted))
                .containsExactlyInAnyOrder(Planted.class.getName() + ".method", Planted.class.getName() + ".block");
    }

    private static List<String> monitorsIn(Path file) throws IOException {
        Finder finder = new Finder();
        try (InputStream stream = Files.newInputStream(file)) {
            new ClassReader(stream).accept(finder, ClassReader.SKIP_FRAMES | ClassReader.SKIP_DEBUG);
        }
        return finder.found;
    }

    /** Violations that the rule must find. */
    static final class Planted {

        private int count;

        synchronized void method() {
            count++;
        }

        int block() {
            synchronized (this) {
                return count;
            }
        }

        int neither() {
            return count;
        }
    }

    private static final class Finder extends ClassVisitor {

        private final List<String> found = new ArrayList<>();
        private String type = "";

        Finder() {
            super(SpringAsmInfo.ASM_VERSION);
        }

        @Override
        public void visit(int version, int access, String name, String signature, String parent, String[] interfaces) {
            type = name.replace('/', '.');
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] exceptions) {
            if ((access & Opcodes.ACC_SYNCHRONIZED) != 0) {
                found.add(type + "." + name);
            }
            return new MethodVisitor(SpringAsmInfo.ASM_VERSION) {
                @Override
                public void visitInsn(int opcode) {
                    if (opcode == Opcodes.MONITORENTER) {
                        found.add(type + "." + name);
                    }
                }
            };
        }
    }
}
