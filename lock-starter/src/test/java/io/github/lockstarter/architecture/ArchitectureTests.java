package io.github.lockstarter.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The packages and arrows of the design: who may use whom, and what may be used where. */
class ArchitectureTests {

    private static final String BASE = "io.github.lockstarter";
    private static final String SPI = BASE + ".spi";
    private static final List<String> ALL =
            List.of("spi", "engine", "redis", "redlock", "local", "aop", "observe", "actuate", "autoconfigure");

    private static final JavaClasses STARTER = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(BASE);

    @Test
    void importsTheStarter() {
        check(classes().that().haveSimpleName("LockTemplate").should().resideInAPackage(BASE));
    }

    @Test
    void rootUsesNothingOfOurs() {
        check(uses(BASE));
    }

    @Test
    void spiUsesRootOnly() {
        check(uses(SPI, BASE));
    }

    @Test
    void engineAndBackendsUseRootAndSpiOnly() {
        Stream.of("engine", "redis", "redlock", "local").forEach(name -> check(uses(BASE + "." + name, BASE, SPI)));
    }

    @Test
    void springSideUsesRootOnly() {
        Stream.of("aop", "observe", "actuate").forEach(name -> check(uses(BASE + "." + name, BASE)));
    }

    @Test
    void nobodyImportsAutoConfiguration() {
        check(noClasses()
                .that()
                .resideOutsideOfPackage(BASE + ".autoconfigure")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(BASE + ".autoconfigure"));
    }

    @Test
    void packagesHaveNoCycles() {
        check(slices().matching("(**)").should().beFreeOfCycles());
    }

    @Test
    void onlyRedisAndAutoConfigurationKnowLettuce() {
        check(noClasses()
                .that()
                .resideOutsideOfPackages(BASE + ".redis", BASE + ".autoconfigure")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.lettuce.."));
    }

    @Test
    void coreKnowsNoSpring() {
        check(noClasses()
                .that()
                .resideInAnyPackage(BASE, SPI, BASE + ".engine", BASE + ".redis", BASE + ".redlock", BASE + ".local")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.springframework.."));
    }

    @Test
    void engineAndRedlockReadInjectedClocksOnly() {
        check(noClasses()
                .that()
                .resideInAnyPackage(BASE + ".engine", BASE + ".redlock")
                .should()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(java.time.Instant.class, "now"));
    }

    @Test
    void nobodyUsesTheCommonPoolOrTimers() {
        check(noClasses()
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
    void namesSayWhatATypeIs() {
        check(noClasses().should().haveNameMatching(".*(Manager|Utils?|Helper|Info|Impl)"));
    }

    /** Classes of the package use, of ours, itself and the given packages. */
    private static ArchRule uses(String name, String... allowed) {
        List<String> permitted =
                Stream.concat(Stream.of(name), Arrays.stream(allowed)).toList();
        String[] forbidden = Stream.concat(Stream.of(BASE), ALL.stream().map(each -> BASE + "." + each))
                .filter(each -> !permitted.contains(each))
                .toArray(String[]::new);
        DescribedPredicate<JavaClass> ours = forbidden.length == 0
                ? resideInAPackage("none")
                : resideInAnyPackage(forbidden).as("reside in " + Arrays.toString(forbidden));
        return noClasses().that().resideInAPackage(name).should().dependOnClassesThat(ours);
    }

    private static void check(ArchRule rule) {
        rule.check(STARTER);
    }
}
