package io.github.lockstarter.rewrite;

import static org.openrewrite.java.Assertions.java;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openrewrite.java.JavaParser;
import org.openrewrite.test.RecipeSpec;
import org.openrewrite.test.RewriteTest;
import org.openrewrite.test.SourceSpecs;

class MigrateFromShedLockTests implements RewriteTest {

    private static final String UNCHANGED = """
            import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

            class Reports {
                @SchedulerLock(name = "report", lockAtMostFor = "10m")
                void write() {}
            }
            """;

    @Override
    public void defaults(RecipeSpec spec) {
        spec.recipe(new MigrateFromShedLock())
                .parser(JavaParser.fromJavaVersion()
                        .classpath(
                                "shedlock-core",
                                "shedlock-spring",
                                "shedlock-provider-redis-spring",
                                "spring-context",
                                "spring-data-redis"));
    }

    @Test
    void keepsNamesAndTimes() {
        rewriteRun(configuration("defaultLockAtMostFor = \"PT1H\", defaultLockAtLeastFor = \"5s\""), java("""
                        import net.javacrumbs.shedlock.core.LockAssert;
                        import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

                        class Reports {
                            static final String NAME = "report";

                            @SchedulerLock(name = NAME)
                            void write() {
                                LockAssert.assertLocked();
                            }

                            @SchedulerLock(name = "clean-${region}", lockAtMostFor = "20000", lockAtLeastFor = "PT0S")
                            void clean() {}

                            @SchedulerLock(name = "count", lockAtMostFor = "${most}", lockAtLeastFor = "30s")
                            void count() {}

                            @SchedulerLock(name = "poll", lockAtMostFor = "29s", lockAtLeastFor = "")
                            void poll() {}
                        }
                        """, """
                        import io.github.lockstarter.LockHandle;
                        import io.github.lockstarter.scheduling.ScheduledLock;

                        class Reports {
                            static final String NAME = "report";

                            @ScheduledLock(name = NAME, minHold = "5s", maxHold = "PT1H")
                            void write() {
                                LockHandle.current().orElseThrow();
                            }

                            @ScheduledLock(name = "clean-${region}", minHold = "PT0S", lease = "20000", maxHold = "20000")
                            void clean() {}

                            @ScheduledLock(name = "count", minHold = "30s", maxHold = "${most}")
                            void count() {}

                            @ScheduledLock(name = "poll", minHold = "5s", lease = "29s", maxHold = "29s")
                            void poll() {}
                        }
                        """));
    }

    /** What has no counterpart stops the translation of all others. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            name = "a job", lockAtMostFor = "1m"                        | a name has letters, digits, '.', '_' and '-' only
            lockAtMostFor = "1m"                                        | give the lock a name
            name = "job"                                                | set lockAtMostFor here
            name = "job", lockAtMostFor = "PT2H", lockAtLeastFor = "1d" | a minimum hold above 30 s needs a longer lease
            name = "job", lockAtMostFor = "14m", lockAtLeastFor = "14m" | a minimum hold above 30 s needs a longer lease
            """)
    void marksWhatItCannotTranslate(String attributes, String advice) {
        String before = """
                import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

                class Jobs {
                    %s@SchedulerLock(%s)
                    void run(long id) {}
                }
                """;
        rewriteRun(
                java(before.formatted("", attributes), before.formatted("/*~~(" + advice + ")~~>*/", attributes)),
                java(UNCHANGED));
    }

    @Test
    void marksOtherTypesAndSettings() {
        rewriteRun(java(UNCHANGED), java("""
                        import net.javacrumbs.shedlock.core.LockAssert;
                        import net.javacrumbs.shedlock.core.LockExtender;
                        import net.javacrumbs.shedlock.core.LockProvider;
                        import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
                        import net.javacrumbs.shedlock.support.KeepAliveLockProvider;
                        import org.springframework.context.annotation.Bean;

                        @EnableSchedulerLock(
                                order = 3, defaultLockAtMostFor = "1h")
                        class Others {
                            @Bean
                            LockProvider provider() {
                                return new KeepAliveLockProvider(null, null);
                            }

                            void run() {
                                LockAssert.assertLocked();
                                Runnable later = () -> LockExtender.extendActiveLock(null, null);
                            }
                        }
                        """, """
                        import net.javacrumbs.shedlock.core.LockAssert;
                        import net.javacrumbs.shedlock.core.LockExtender;
                        import net.javacrumbs.shedlock.core.LockProvider;
                        import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
                        import net.javacrumbs.shedlock.support.KeepAliveLockProvider;
                        import org.springframework.context.annotation.Bean;

                        /*~~(only its times have a counterpart)~~>*/@EnableSchedulerLock(
                                order = 3, defaultLockAtMostFor = "1h")
                        class Others {
                            @Bean
                            /*~~(LockProvider has no exact counterpart)~~>*/LockProvider provider() {
                                return new /*~~(KeepAliveLockProvider has no exact counterpart)~~>*/KeepAliveLockProvider(null, null);
                            }

                            void run() {
                                LockAssert.assertLocked();
                                Runnable later = () -> /*~~(LockExtender has no exact counterpart)~~>*/LockExtender.extendActiveLock(null, null);
                            }
                        }
                        """));
    }

    /** A class that is without the library afterwards. */
    private static SourceSpecs configuration(String defaults) {
        return java("""
                import net.javacrumbs.shedlock.core.LockProvider;
                import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
                import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
                import org.springframework.context.annotation.Bean;
                import org.springframework.context.annotation.Configuration;
                import org.springframework.data.redis.connection.RedisConnectionFactory;

                @Configuration
                @EnableSchedulerLock(%s)
                class Scheduling {

                    @Bean
                    LockProvider lockProvider(RedisConnectionFactory redis) {
                        return new RedisLockProvider(redis);
                    }
                }
                """.formatted(defaults), """
                import org.springframework.context.annotation.Configuration;

                @Configuration
                class Scheduling {
                }
                """);
    }
}
