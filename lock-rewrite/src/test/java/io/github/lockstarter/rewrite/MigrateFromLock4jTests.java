package io.github.lockstarter.rewrite;

import static org.openrewrite.java.Assertions.java;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openrewrite.java.JavaParser;
import org.openrewrite.test.RecipeSpec;
import org.openrewrite.test.RewriteTest;

class MigrateFromLock4jTests implements RewriteTest {

    private static final String UNCHANGED = """
            import com.baomidou.lock.annotation.Lock4j;

            class Orders {
                @Lock4j(name = "order", keys = "#id")
                public void ship(long id) {}
            }
            """;

    @Override
    public void defaults(RecipeSpec spec) {
        spec.recipe(new MigrateFromLock4j())
                .parser(JavaParser.fromJavaVersion().classpath("lock4j-core", "spring-beans"));
    }

    @Test
    void keepsNameKeysAndTimes() {
        rewriteRun(java("""
                        import com.baomidou.lock.annotation.Lock4j;

                        class Orders {
                            static final String NAME = "order";

                            @Deprecated
                            @Lock4j(name = NAME, keys = {"#id"}, expire = 10_000L, acquireTimeout = 5 * 100)
                            public void ship(long id) {}

                            @Lock4j(name = "shop.${region}", keys = {"#line.order", "", "'n' + #line.number"})
                            public void pack(Object line) {}

                            @Lock4j(keys = "", expire = 60_000)
                            public void sweep() {}

                            @Lock4j
                            public void count() {}
                        }
                        """, """
                        import io.github.lockstarter.DistributedLock;

                        class Orders {
                            static final String NAME = "order";

                            @Deprecated
                            @DistributedLock(name = NAME, key = "#id", leaseMs = 10_000L, maxHoldMs = 10_000L, maxWaitMs = 5 * 100)
                            public void ship(long id) {}

                            @DistributedLock(name = "shop.${region}", key = "#line.order + '.' + ('n' + #line.number)")
                            public void pack(Object line) {}

                            @DistributedLock(maxHoldMs = 60_000)
                            public void sweep() {}

                            @DistributedLock
                            public void count() {}
                        }
                        """));
    }

    /** What has no counterpart stops the translation of all others, which must exclude it as before. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            keys = {KEY, "#id"}  | write the keys as texts
            expire = EXPIRY      | write expire as a number
            name = "order:ship"  | a name has letters, digits, '.', '_' and '-' only
            autoRelease = false  | autoRelease has no exact counterpart
            """)
    void marksWhatItCannotTranslate(String attribute, String advice) {
        String before = """
                import com.baomidou.lock.annotation.Lock4j;

                class Lists {
                    static final String KEY = "#id";
                    static final long EXPIRY = 3000;

                    %s@Lock4j(%s)
                    public void ship(long id) {}
                }
                """;
        rewriteRun(
                java(before.formatted("", attribute), before.formatted("/*~~(" + advice + ")~~>*/", attribute)),
                java(UNCHANGED));
    }

    @Test
    void marksOtherTypesOfTheLibrary() {
        rewriteRun(java(UNCHANGED), java("""
                        import com.baomidou.lock.LockInfo;
                        import com.baomidou.lock.LockTemplate;

                        /** Uses a {@link LockTemplate}. */
                        class Exports {
                            private LockTemplate template;

                            void write() {
                                LockInfo lock = template.lock("export");
                            }
                        }
                        """, """
                        import com.baomidou.lock.LockInfo;
                        import com.baomidou.lock.LockTemplate;

                        /** Uses a {@link LockTemplate}. */
                        class Exports {
                            private /*~~(LockTemplate has no exact counterpart)~~>*/LockTemplate template;

                            void write() {
                                /*~~(LockInfo has no exact counterpart)~~>*/LockInfo lock = template.lock("export");
                            }
                        }
                        """));
    }
}
