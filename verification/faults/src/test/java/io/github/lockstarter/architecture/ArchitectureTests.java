package io.github.lockstarter.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaFieldAccess.AccessType;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import io.github.lockstarter.engine.LockEngine;
import io.github.lockstarter.spi.BlockingWait;
import io.github.lockstarter.spi.LockThreads;
import io.lettuce.core.RedisFuture;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionService;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;

/** The packages and dependencies of the design, and restrictions on what code may use. */
class ArchitectureTests {

    private static final String BASE = "io.github.lockstarter";
    private static final String SPI = BASE + ".spi";
    private static final String ENGINE = BASE + ".engine";

    /** The packages of {@code lock-recipes}, on which only it and applications depend. */
    private static final String[] RECIPES = {
        BASE + ".leader", BASE + ".cache", BASE + ".fence", BASE + ".shedlock", BASE + ".integration"
    };

    /** Methods of a type and its subtypes. */
    private record Waiting(Class<?> type, String names) {

        boolean isIn(AccessTarget target) {
            return target.getOwner().isAssignableTo(type) && target.getName().matches(names);
        }
    }

    private static final List<Waiting> BLOCKING = List.of(
            new Waiting(Future.class, "get|join|invoke|await"),
            new Waiting(RedisFuture.class, "await"),
            new Waiting(ForkJoinTask.class, "(quietly)?(Join|join|Invoke|invoke)(All)?|helpQuiesce"),
            new Waiting(ExecutorService.class, "invokeA(ll|ny)"),
            new Waiting(CompletionService.class, "take|poll"),
            new Waiting(CountDownLatch.class, "await"),
            new Waiting(CyclicBarrier.class, "await"),
            new Waiting(Semaphore.class, "acquire.*|tryAcquire"),
            new Waiting(LockSupport.class, "park.*"),
            new Waiting(Object.class, "wait"));

    /** All that is published; imported once for all tests of a JVM. */
    static final JavaClasses STARTER = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .withImportOption(location -> !location.contains("-tests.jar"))
            .withImportOption(location -> !location.contains("/lockstarter/kit/"))
            .importPackages(BASE);

    static final JavaClasses KIT = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(BASE + ".kit");

    @Test
    void importsEveryModule() {
        check(classes().that().haveSimpleName("LockTemplate").should().resideInAPackage(BASE));
        check(classes().that().haveSimpleName("RedisLockBackend").should().resideInAPackage(BASE + ".redis"));
        check(classes().that().haveSimpleName("ZooKeeperLockBackend").should().resideInAPackage(BASE + ".zookeeper"));
        check(classes().that().haveSimpleName("LockAdvisor").should().resideInAPackage(BASE + ".aop"));
        check(classes().that().haveSimpleName("JdbcLockBackend").should().resideInAPackage(BASE + ".jdbc"));
        check(classes()
                .that()
                .haveSimpleName("RedisLockAutoConfiguration")
                .should()
                .resideInAPackage(BASE + ".autoconfigure.redis"));
        check(classes().that().haveSimpleName("EtcdLockBackend").should().resideInAPackage(BASE + ".etcd"));
        check(classes().that().haveSimpleName("RedlockBackend").should().resideInAPackage(BASE + ".redlock"));
        check(classes().that().haveSimpleName("LeaderElection").should().resideInAPackage(BASE + ".leader"));
    }

    @Test
    void importsNoTests() {
        check(noClasses().should().resideInAnyPackage(BASE + ".contract", BASE + ".testing"));
    }

    @Test
    void kitAndProductUseNothingOfEachOther() {
        uses(BASE + ".kit..").check(KIT);
        check(noClasses().should().dependOnClassesThat().resideInAPackage(BASE + ".kit.."));
    }

    @Test
    void rootPackageUsesNoOtherPackageOfTheProject() {
        check(uses(BASE));
    }

    @Test
    void spiUsesOnlyRoot() {
        check(uses(SPI, BASE));
    }

    @Test
    void engineAndLocalStoreUseOnlyRootAndSpi() {
        check(uses(ENGINE + "..", BASE, SPI));
        check(uses(BASE + ".local", BASE, SPI));
    }

    @Test
    void databaseUsesOnlyRootAndSpi() {
        check(uses(BASE + ".jdbc", BASE, SPI));
    }

    /** The timer is public for tests that control the time; all other packages treat it as internal. */
    @Test
    void otherPackagesUseOnlyTheEntryOfTheEngine() {
        DescribedPredicate<JavaClass> internal = describe(
                "are internal to the engine", type -> type.getPackageName().startsWith(ENGINE) && !isEntry(type));
        check(noClasses().that().resideOutsideOfPackage(ENGINE + "..").should().dependOnClassesThat(internal));
    }

    /** Their state; only a release that cannot begin ends the renewals of a hold as well. */
    @Test
    void onlyHeldSlotsChangeHolds() {
        check(noClasses()
                .that()
                .doNotHaveSimpleName("HeldSlots")
                .and()
                .doNotHaveSimpleName("Hold")
                .should()
                .setFieldWhere(describe(
                        "is a field of a hold",
                        access -> isOfHold(access) && !access.getName().equals("renewalEnded")))
                .orShould()
                .callMethodWhere(describe(
                        "changes a hold",
                        call -> isOfHold(call)
                                && call.getTarget().resolveMember().stream()
                                        .anyMatch(ArchitectureTests::changesHold))));
    }

    private static boolean changesHold(JavaMethod method) {
        return method.getFieldAccesses().stream()
                        .anyMatch(access -> isOfHold(access) && access.getAccessType() == AccessType.SET)
                || method.getMethodCallsFromSelf().stream()
                        .filter(ArchitectureTests::isOfHold)
                        .flatMap(call -> call.getTarget().resolveMember().stream())
                        .anyMatch(ArchitectureTests::changesHold);
    }

    private static boolean isOfHold(JavaAccess<?> access) {
        return access.getTargetOwner().getName().equals(ENGINE + ".Hold");
    }

    /** As for the engine; applications and the auto-configuration create connectors, settings and backends. */
    @Test
    void otherPackagesUseOnlyBackendsConnectorsAndSettingsOfRedis() {
        Set<String> open = Set.of(BASE + ".redis", BASE + ".redis.connector", BASE + ".redis.settings");
        DescribedPredicate<JavaClass> internal = describe(
                "are internal to the Redis store",
                type -> type.getPackageName().startsWith(BASE + ".redis.") && !open.contains(type.getPackageName()));
        check(noClasses()
                .that()
                .resideOutsideOfPackage(BASE + ".redis..")
                .should()
                .dependOnClassesThat(internal));
    }

    private static boolean isEntry(JavaClass type) {
        return type.getPackageName().equals(ENGINE + ".settings")
                || type.getName().startsWith(LockEngine.class.getName());
    }

    @Test
    void redisAndRedlockUseOnlyRootAndSpi() {
        check(uses(BASE + ".redis..", BASE, SPI));
        check(uses(BASE + ".redlock", BASE, SPI));
    }

    @Test
    void onlyItsAutoConfigurationUsesRedlock() {
        check(noClasses()
                .that()
                .resideOutsideOfPackages(BASE + ".redlock", BASE + ".autoconfigure.redlock")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(BASE + ".redlock"));
    }

    /** An application may have one store alone. */
    @Test
    void autoConfigurationsOfStoresDoNotUseEachOther() {
        check(slices().matching(BASE + ".autoconfigure.(*)").should().notDependOnEachOther());
    }

    /** Those of other libraries stay free; {@code BeanNamesTests} has the beans without a method. */
    @Test
    void namesOfBeansBeginWithThatOfTheStarter() {
        check(methods().that().areAnnotatedWith(Bean.class).should().haveNameStartingWith("distributedLock"));
    }

    @Test
    void zookeeperUsesOnlyRootAndSpi() {
        check(uses(BASE + ".zookeeper..", BASE, SPI));
    }

    @Test
    void etcdUsesOnlyRootAndSpi() {
        check(uses(BASE + ".etcd..", BASE, SPI));
    }

    @Test
    void responsesTransactionsPublishersAndCachesUseOnlyRoot() {
        check(uses(BASE + ".transaction", BASE));
        check(uses(BASE + ".scheduling", BASE));
        check(uses(BASE + ".web", BASE));
        check(uses(BASE + ".reactive", BASE));
        check(usesOnly("SingleLoadCacheInterceptor", BASE, BASE + ".cache"));
    }

    /** On the path of processors, the application's compiler has no other module. */
    @Test
    void processorUsesOnlyItself() {
        check(uses(BASE + ".processor"));
        check(classes()
                .that()
                .haveSimpleName("LockAnnotationProcessor")
                .should()
                .resideInAPackage(BASE + ".processor"));
    }

    @Test
    void bridgesToOtherLibrariesUseOnlyRoot() {
        check(uses(BASE + ".shedlock", BASE));
        check(uses(BASE + ".integration", BASE));
    }

    /** They use locks as an application does; neither the annotation nor any store knows them. */
    @Test
    void noOtherPackageUsesRecipes() {
        check(noClasses()
                .that()
                .resideOutsideOfPackages(RECIPES)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(RECIPES));
    }

    /** An application need not have them. */
    @Test
    void onlyBridgesAndAutoConfigurationUseOtherLockLibraries() {
        check(noClasses()
                .that()
                .resideOutsideOfPackage(BASE + ".shedlock")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("net.javacrumbs.shedlock.."));
        check(noClasses()
                .that()
                .resideOutsideOfPackage(BASE + ".integration")
                .and()
                .haveNameNotMatching(Pattern.quote(BASE) + "\\.leader\\.RoleEvents(\\$.*)?")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.springframework.integration.."));
    }

    /** Events of leaders have a thread. */
    @Test
    void electionUsesOnlyRootAndSpi() {
        check(usesOnly("LeaderElection|Campaign|LeaderLocks", BASE, SPI, BASE + ".leader"));
    }

    /** The thread of an asynchronous method waits for its future. */
    @Test
    void aspectsUseOnlyTheirPackagesAndSpi() {
        check(uses(BASE + ".aop", BASE, BASE + ".transaction", BASE + ".scheduling", BASE + ".reactive", SPI));
    }

    /** Listeners have threads. The auto-configuration finds the engines. */
    @Test
    void observationsUseOnlyRootSpiAndEngine() {
        check(uses(BASE + ".observe", BASE, SPI, ENGINE));
    }

    /** The endpoints wait for answers. The auto-configuration finds the engines of further stores. */
    @Test
    void actuateUsesOnlyRootSpiEngineAndAutoConfiguration() {
        check(uses(BASE + ".actuate", BASE, SPI, ENGINE, BASE + ".autoconfigure"));
    }

    @Test
    void fencesUseOnlyRootAndSpi() {
        check(uses(BASE + ".fence", BASE, SPI));
    }

    /** An application with locks and data in Redis may have no JDBC. */
    @Test
    void fencesInRedisDoNotUseJdbc() {
        check(noClasses()
                .that()
                .haveSimpleName("RedisFences")
                .should()
                .transitivelyDependOnClassesThat()
                .resideInAnyPackage("org.springframework.jdbc..", "java.sql.."));
    }

    @Test
    void noOtherPackageUsesAutoConfiguration() {
        check(noClasses()
                .that()
                .resideOutsideOfPackages(
                        BASE + ".autoconfigure..", BASE + ".actuate", BASE + ".leader", BASE + ".cache")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(BASE + ".autoconfigure.."));
    }

    /** The in-JVM store is there for tests, whatever store an application has. */
    @Test
    void autoConfigurationOfLocksUsesNoStoreModule() {
        check(noClasses()
                .that()
                .resideInAPackage(BASE + ".autoconfigure")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        BASE + ".autoconfigure.redis",
                        BASE + ".autoconfigure.redlock",
                        BASE + ".autoconfigure.etcd",
                        BASE + ".redis..",
                        BASE + ".redlock",
                        BASE + ".autoconfigure.zookeeper",
                        BASE + ".zookeeper..",
                        BASE + ".etcd..",
                        BASE + ".autoconfigure.jdbc",
                        BASE + ".jdbc",
                        "javax.sql..",
                        "org.springframework.data.."));
    }

    @Test
    void packagesHaveNoCycles() {
        check(slices().matching("(**)").should().beFreeOfCycles());
    }

    @Test
    void onlyRedisAndItsAutoConfigurationsUseLettuce() {
        check(noClasses()
                .that()
                .resideOutsideOfPackages(
                        BASE + ".redis..", BASE + ".autoconfigure.redis", BASE + ".autoconfigure.redlock")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.lettuce.."));
    }

    @Test
    void onlyZooKeeperAndItsAutoConfigurationUseCurator() {
        check(noClasses()
                .that()
                .resideOutsideOfPackages(BASE + ".zookeeper..", BASE + ".autoconfigure.zookeeper")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.apache.curator..", "org.apache.zookeeper.."));
    }

    @Test
    void coreDoesNotUseSpring() {
        check(noClasses()
                .that()
                .resideInAnyPackage(
                        BASE,
                        SPI,
                        ENGINE + "..",
                        BASE + ".redis..",
                        BASE + ".redlock",
                        BASE + ".zookeeper..",
                        BASE + ".etcd..",
                        BASE + ".jdbc",
                        BASE + ".local")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.springframework.."));
    }

    @Test
    void engineRedlockAndDatabaseReadOnlyInjectedClocks() {
        check(noClasses()
                .that()
                .resideInAnyPackage(ENGINE + "..", BASE + ".redlock", BASE + ".jdbc")
                .should()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(java.time.Instant.class, "now"));
    }

    @Test
    void noClassUsesTheCommonPoolOrTimers() {
        check(noClasses()
                .that(doNotBlock())
                .should()
                .dependOnClassesThat()
                .areAssignableTo(java.util.Timer.class)
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(ForkJoinPool.class)
                .orShould()
                .callMethod(CompletableFuture.class, "runAsync", Runnable.class)
                .orShould()
                .callMethod(CompletableFuture.class, "supplyAsync", java.util.function.Supplier.class));
    }

    @Test
    void noClassUsesTheDriverOfADatabase() {
        check(noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.postgresql..", "org.mariadb..", "com.mysql..", "org.h2.."));
    }

    /**
     * A worker of a ForkJoinPool that waits in any other way may run a foreign task inside the locks that it holds. In
     * the timer, its own thread alone waits.
     */
    @Test
    void onlyOneClassBlocks() {
        check(noClasses().that(doNotBlock()).should().accessTargetWhere(blocks()));
    }

    private static DescribedPredicate<JavaClass> doNotBlock() {
        String timer = ENGINE + ".TimerThread";
        return describe(
                "are neither " + BlockingWait.class.getSimpleName() + " nor the timer",
                type -> !type.getName().startsWith(BlockingWait.class.getName())
                        && !type.getName().equals(timer));
    }

    private static DescribedPredicate<JavaAccess<?>> blocks() {
        return describe(
                "a thread waits in", access -> BLOCKING.stream().anyMatch(each -> each.isIn(access.getTarget())));
    }

    /** A thread that is created elsewhere inherits the thread-locals and class loader of the first calling thread. */
    @Test
    void onlyOneClassCreatesThreads() {
        check(noClasses()
                .that()
                .haveNameNotMatching(Pattern.quote(LockThreads.class.getName()) + "(\\$.*)?")
                .should()
                .accessTargetWhere(createsThreads()));
    }

    private static DescribedPredicate<JavaAccess<?>> createsThreads() {
        return describe("a thread or a pool is created", access -> {
            AccessTarget target = access.getTarget();
            boolean constructed = target.getName().equals(JavaConstructor.CONSTRUCTOR_NAME)
                    && Stream.of(Thread.class, ThreadPoolExecutor.class, ForkJoinPool.class)
                            .anyMatch(target.getOwner()::isAssignableTo);
            boolean built = target.getOwner().isAssignableTo(Thread.class)
                    && target.getName().matches("of(Platform|Virtual)|startVirtualThread");
            return constructed || built || target.getOwner().isEquivalentTo(Executors.class);
        });
    }

    @Test
    void typeNamesHaveNoVagueSuffix() {
        check(noClasses().should().haveNameMatching(".*(Manager|Utils?|Helper|Info|Impl)"));
    }

    /** Classes of the package use, of ours, itself and the given packages. */
    private static ArchRule uses(String name, String... allowed) {
        String[] permitted =
                Stream.concat(Stream.of(name), Arrays.stream(allowed)).toArray(String[]::new);
        DescribedPredicate<JavaClass> ours = resideInAPackage(BASE + "..")
                .and(not(resideInAnyPackage(permitted)))
                .as("are ours, and reside outside of " + Arrays.toString(permitted));
        return noClasses().that().resideInAPackage(name).should().dependOnClassesThat(ours);
    }

    private static ArchRule usesOnly(String types, String... packages) {
        return noClasses()
                .that()
                .haveNameMatching(".*\\.(" + types + ")(\\$.*)?")
                .should()
                .dependOnClassesThat(resideInAPackage(BASE + "..").and(not(resideInAnyPackage(packages))));
    }

    private static void check(ArchRule rule) {
        rule.check(STARTER);
    }
}
